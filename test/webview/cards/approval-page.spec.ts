import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ARTIFACTS } from '../../../scripts/support/paths.ts';
import type { GateCall, GateItem } from '../../../src/protocol/items/chat-item';
import { seriousFindings } from '../../support/axe';
import { gate, GATE_HOOK, snapshot, tool, user } from '../harness/demo';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness } from '../harness/harness';

const COMMAND = 'npm install left-pad --save-dev';
const REMARK = 'What this command changes cannot be reverted: the folder is not in a git repository.';
const IN_SESSION = 'Allow in this session: exactly this command';
const ALWAYS = 'Allow always here…';
const ASKING = { type: 'asking', hook: GATE_HOOK, isShown: true } as const;

/** A question of the built-in gate about the call of `tool:1`. */
function approval(call: Partial<GateCall>, change: Partial<GateItem> = {}): GateItem {
  return gate('g', {
    hook: { path: '/gate.ts', name: 'Built-in gate' },
    toolItem: 'tool:1',
    title: 'Run this command?',
    message: `${COMMAND}\n\n${REMARK}`,
    subject: { type: 'call', tool: 'bash', remarks: [], ...call },
    dialog: {
      type: 'select',
      options: ['Allow once', IN_SESSION, ALWAYS, 'Deny'],
      meanings: ['allowOnce', 'allowInSession', 'goesOn', 'refuse'],
      cancels: 'Deny',
    },
    canDeny: true,
    ...change,
  });
}

const OF_COMMAND = [
  user('u', 'Install it'),
  tool('tool:1', 'bash', COMMAND, ASKING),
  approval({ command: COMMAND, remarks: [REMARK] }),
];
const DIFF = ' 1 notes\n-2 of today\n+2 of tonight\n 3 and tomorrow';

const PICTURES = join(ARTIFACTS, 'webview');

describe('chat page: questions of the built-in gate', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const item = (id: string): Locator => chat.page.locator(`[data-item-id="${id}"]`);
  const button = (name: string): Locator => item('g').getByRole('button', { name, exact: true });
  const entry = (name: string): Locator => chat.page.getByRole('menuitem', { name, exact: true });
  const press = (key: string): Promise<void> => chat.page.keyboard.press(key);
  const focused = (): Promise<string | null> =>
    chat.page.evaluate(() => {
      const { activeElement: at } = document;
      return at?.getAttribute('aria-label') ?? at?.textContent.trim() ?? null;
    });
  const fontOf = (part: Locator): Promise<string> => part.evaluate(element => getComputedStyle(element).fontFamily);

  it('show the command once, in a box as high as it is, and remarks below it as text', async () => {
    await open(snapshot(OF_COMMAND), { width: 292 });
    await button('Deny').waitFor();
    const log = await chat.page.getByRole('log').innerText();
    assert.equal(log.split(COMMAND).length, 2, log);
    const box = item('g').locator('.gate-box');
    assert.equal(await box.innerText(), COMMAND);
    assert.ok(((await box.boundingBox())?.height ?? 99) < 30, 'one line');
    const remark = item('g').locator('.gate-remarks li');
    assert.equal((await remark.innerText()).trim(), REMARK);
    assert.ok(((await remark.boundingBox())?.y ?? 0) > ((await box.boundingBox())?.y ?? 0));
    const prose = await fontOf(chat.page.locator('body'));
    assert.equal(await fontOf(remark), prose);
    assert.notEqual(await fontOf(box), prose);
    assert.equal(await item('tool:1').locator('code').count(), 0);
  });

  it('leave the details to the card of the call, which says what is called again afterwards', async () => {
    await open(snapshot(OF_COMMAND));
    await item('tool:1').locator('.card-line').click();
    await item('tool:1').getByText(COMMAND).first().waitFor();
    await item('tool:1').locator('.card-line').click();
    assert.equal(await item('tool:1').getByText(COMMAND).count(), 0);
    const done = tool('tool:1', 'bash', COMMAND, { type: 'done' });
    await chat.post({ type: 'item', revision: 1, item: done });
    await item('tool:1').locator('.tool-summary', { hasText: COMMAND }).waitFor();
  });

  it('show what a write changes as a difference, its path, and not the new text in the card of the call', async () => {
    const write = tool('tool:1', 'write', 'src/notes.txt', ASKING, { content: 'all of the new text' });
    const asks = approval({ tool: 'write', path: 'src/notes.txt', diff: DIFF }, { title: 'Write notes.txt?' });
    await open(snapshot([write, asks]), { width: 292 });
    await item('g').locator('.diff-added', { hasText: 'of tonight' }).waitFor();
    await item('g').locator('.diff-removed', { hasText: 'of today' }).waitFor();
    const log = await chat.page.getByRole('log').innerText();
    assert.equal(log.split('src/notes.txt').length, 2, log);
    assert.doesNotMatch(log, /all of the new text/);
  });

  it('show a path beside its icon, and break it between its folders', async () => {
    const path = 'src/inventory/greetings/greeting.test.ts';
    await open(snapshot([approval({ path, diff: DIFF }, { title: 'Write greeting.test.ts?' })]), { width: 292 });
    const place = item('g').locator('.gate-place');
    assert.equal((await place.innerText()).trim(), path);
    const [icon, name] = [await place.locator('.codicon').boundingBox(), await place.locator('code').boundingBox()];
    assert.ok(icon !== null && name !== null && name.x >= icon.x + icon.width && name.y <= icon.y + icon.height);
    const tops = await place.locator('code').evaluate(code =>
      [...code.childNodes]
        .filter(node => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '')
        .map(node => {
          const range = document.createRange();
          range.selectNodeContents(node);
          return [...range.getClientRects()].map(({ top }) => top);
        }),
    );
    assert.ok(new Set(tops.flat()).size > 1, 'the path takes several lines');
    for (const lines of tops) assert.equal(new Set(lines).size, 1, 'no name is broken');
    await chat.page.screenshot({ path: join(PICTURES, 'approval-path-292.png') });
  });

  it('open the diff of a write by a button whose place is kept, so that nothing moves when it comes', async () => {
    const OPEN = 'Open the Diff in an Editor';
    const title = 'Write a-file-with-a-long-name-of-several-words.txt?';
    const asks = approval({ tool: 'write', path: 'src/notes.txt', diff: DIFF }, { title, opensDiff: false });
    await open(snapshot([asks]), { width: 292 });
    const places = async (): Promise<unknown> => [
      await item('g').locator('.gate-title').boundingBox(),
      await item('g').getByRole('button', { name: 'Allow once', exact: true }).boundingBox(),
    ];
    const before = await places();
    assert.equal(await button(OPEN).count(), 0);
    await chat.post({ type: 'item', revision: 1, item: { ...asks, opensDiff: true } });
    await button(OPEN).waitFor();
    assert.deepEqual(await places(), before);
    assert.deepEqual(await seriousFindings(chat.page), []);
    await button(OPEN).press('Enter');
    assert.deepEqual(await chat.sentOf('showWriteDiff'), [{ type: 'showWriteDiff', id: 'g' }]);
    assert.deepEqual(await chat.sentOf('answer'), []);
  });

  it('open the diff of a long difference, or its text where there is no such diff', async () => {
    const diff = Array.from({ length: 500 }, (_, line) => `+${line + 1} line`).join('\n');
    const asks = approval({ tool: 'write', path: 'notes.txt', diff }, { title: 'Write notes.txt?' });
    await open(snapshot([{ ...asks, opensDiff: true }]));
    await button('Open in Editor').click();
    assert.deepEqual(await chat.sentOf('showWriteDiff'), [{ type: 'showWriteDiff', id: 'g' }]);
    await chat.post({ type: 'item', revision: 1, item: asks });
    await button('Open the Diff in an Editor').waitFor({ state: 'detached' });
    await button('Open in Editor').click();
    assert.equal((await chat.sentOf('openText')).length, 1);
  });

  it('show the arguments of other tools, and a path once that a remark names', async () => {
    const args = [
      { name: 'owner', value: 'hookline' },
      { name: 'text', value: 'one\ntwo' },
    ];
    await open(snapshot([approval({ tool: 'mcp__s__t', args }, { title: 'Run the tool mcp__s__t?' })]));
    assert.deepEqual(await item('g').locator('dt').allInnerTexts(), ['owner', 'text']);
    assert.deepEqual(await item('g').locator('dd').allInnerTexts(), ['hookline', 'one\ntwo']);
    const remarks = ['Programs run code from this location: .vscode/tasks.json'];
    const asks = approval({ path: '.vscode/tasks.json', diff: DIFF, remarks }, { title: 'Write tasks.json?' });
    await chat.post({ type: 'item', revision: 1, item: asks });
    await item('g').locator('.gate-remarks').waitFor();
    assert.equal((await item('g').innerText()).split('.vscode/tasks.json').length, 2);
  });

  it('name the folder of a call that is not the one of the conversation', async () => {
    await open(snapshot([approval({ command: 'ls', cwd: 'packages/app' })]));
    assert.equal(await item('g').locator('.gate-place code').innerText(), 'packages/app');
  });

  it('let Tab reach Deny first, and arrow keys the rest', async () => {
    await open(snapshot(OF_COMMAND));
    const stops = await item('g').locator('button:not([tabindex="-1"]):not(.link)').all();
    const names = await Promise.all(stops.map(stop => stop.getAttribute('aria-label')));
    assert.deepEqual(names, ['Deny', 'Deny with message…']);
    await button('Deny').focus();
    await press('ArrowLeft');
    assert.equal(await focused(), 'More Ways to Allow');
    await press('ArrowLeft');
    assert.equal(await focused(), 'Allow once');
    await press('Enter');
    assert.deepEqual(await chat.sentOf('answer'), [{ type: 'answer', id: 'g', answer: 'Allow once' }]);
  });

  for (const key of ['ArrowDown', 'Enter', 'Space']) {
    it(`open the menu of further ways to allow by ${key}; Escape closes it and the question stays`, async () => {
      await open(snapshot(OF_COMMAND));
      await button('More Ways to Allow').focus();
      await press(key);
      await entry(ALWAYS).waitFor();
      assert.equal(await focused(), IN_SESSION);
      await press('Escape');
      await entry(ALWAYS).waitFor({ state: 'detached' });
      assert.equal(await focused(), 'More Ways to Allow');
      assert.deepEqual(await chat.sentOf('answer'), []);
      assert.deepEqual(await chat.sentOf('stop'), []);
      await press(key);
      await press('ArrowDown');
      assert.equal(await focused(), ALWAYS);
      await press('Enter');
      assert.deepEqual(await chat.sentOf('answer'), [{ type: 'answer', id: 'g', answer: ALWAYS }]);
    });
  }

  it('take no entry by the key, or by the second click, that opened the menu', async () => {
    await open(snapshot(OF_COMMAND));
    await button('More Ways to Allow').focus();
    for (let repeats = 0; repeats < 4; repeats++) await chat.page.keyboard.down('Enter');
    await chat.page.keyboard.up('Enter');
    assert.equal(await focused(), IN_SESSION);
    assert.deepEqual(await chat.sentOf('answer'), []);
    const second = { bubbles: true, detail: 2 };
    await entry(IN_SESSION).dispatchEvent('click', second);
    assert.deepEqual(await chat.sentOf('answer'), []);
    await entry(IN_SESSION).click();
    assert.deepEqual(await chat.sentOf('answer'), [{ type: 'answer', id: 'g', answer: IN_SESSION }]);
  });

  it('have no menu where there is no further way, and a list where the meanings of options are not known', async () => {
    const few = { type: 'select', options: ['Allow once', 'Deny'], meanings: ['allowOnce', 'refuse'] } as const;
    await open(snapshot([approval({ command: 'ls' }, { dialog: few, canDeny: undefined })]));
    assert.deepEqual(await item('g').locator('.choices button').allInnerTexts(), ['Allow once', 'Deny']);
    assert.equal(await item('g').locator('.button.primary').count(), 1);
    const unknown = { type: 'select', options: ['Allow once', 'Deny'] } as const;
    await chat.post({ type: 'item', revision: 1, item: approval({ command: 'ls' }, { dialog: unknown }) });
    await item('g').locator('.choices-list').waitFor();
    assert.equal(await item('g').locator('.button.primary').count(), 0, 'none looks like the one to press');
  });

  it('are denied with a message in a form, which Escape leaves without a word lost', async () => {
    await open(snapshot(OF_COMMAND));
    await button('Deny with message…').press('Enter');
    const field = item('g').getByRole('textbox');
    assert.equal(await field.evaluate(box => box === document.activeElement), true);
    assert.equal(await button('Allow once').count(), 0);
    await field.fill('use pnpm');
    await press('Escape');
    assert.equal(await focused(), 'Deny with message…');
    assert.deepEqual(await chat.sentOf('answer'), []);
    await press('Enter');
    assert.equal(await field.inputValue(), 'use pnpm');
    await button('Deny').click();
    assert.deepEqual(await chat.sentOf('deny'), [{ type: 'deny', id: 'g', message: 'use pnpm' }]);
  });

  it('close the menu when they are answered elsewhere', async () => {
    await open(snapshot(OF_COMMAND));
    await button('More Ways to Allow').click();
    await entry(ALWAYS).waitFor();
    const over = approval({ command: COMMAND }, { state: { type: 'answered', answer: 'Deny' } });
    await chat.post({ type: 'item', revision: 1, item: over });
    await entry(ALWAYS).waitFor({ state: 'detached' });
    assert.deepEqual(await chat.sentOf('answer'), []);
  });

  it('keep the end of a long command, all remarks and the answers in sight in a low and narrow panel', async () => {
    const command = `echo one${'\necho one'.repeat(300)}\nrm -rf important`;
    await open(snapshot([user('u', 'text\n'.repeat(30)), approval({ command, remarks: [REMARK] })]));
    for (const size of [
      { width: 292, height: 460 },
      { width: 171, height: 560 },
    ]) {
      await chat.page.setViewportSize(size);
      await chat.page.waitForTimeout(100); // the list keeps to its end
      const [outer, log] = [await item('g').boundingBox(), await chat.page.getByRole('log').boundingBox()];
      assert.ok(outer !== null && log !== null);
      const end = item('g').locator('.gate-tail');
      assert.match(await end.innerText(), /rm -rf important$/);
      for (const part of [
        end,
        item('g').locator('.gate-remarks li'),
        ...(await item('g').locator('.choices button').all()),
      ]) {
        const box = await part.boundingBox();
        assert.ok(box !== null && box.y >= Math.max(outer.y, log.y) - 1, await part.innerText());
        assert.ok(
          box.y + box.height <= Math.min(outer.y + outer.height, log.y + log.height) + 1,
          await part.innerText(),
        );
        assert.ok(box.x >= 0 && box.x + box.width <= size.width, await part.innerText());
      }
    }
  });

  it('keep the answers in sight where the panel is too low for the rest of the question', async () => {
    await open(
      snapshot([user('u', 'text\n'.repeat(30)), approval({ command: 'node --check src/x.js', remarks: [REMARK] })]),
    );
    await chat.page.setViewportSize({ width: 252, height: 260 });
    await chat.page.waitForTimeout(100); // the list keeps to its end
    const log = await chat.page.getByRole('log').boundingBox();
    for (const button of await item('g').locator('.choices button').all()) {
      const box = await button.boundingBox();
      assert.ok(log !== null && box !== null && box.y >= log.y && box.y + box.height <= log.y + log.height + 1);
    }
    const card = item('g').locator('.gate');
    assert.ok(await card.evaluate(each => each.scrollHeight > each.clientHeight), 'the rest scrolls');
    await chat.page.screenshot({ path: join(PICTURES, 'approval-low.png') });
  });

  for (const theme of ['dark', 'light', 'hc-dark', 'hc-light'] as const) {
    it(`have no serious finding of axe in ${theme}, also with the menu and in every state`, async () => {
      const hook = gate('h', { message: 'text\n'.repeat(40), about: { tool: 'bash', summary: 'ls', isCommand: true } });
      const states = (['queued', 'cancelled'] as const).map(type => gate(type, { state: { type } }));
      const answered = gate('answered', { state: { type: 'answered', answer: 'Yes' } });
      await open(snapshot([...states, answered, hook, ...OF_COMMAND]), { theme, width: 292, height: 900 });
      assert.deepEqual(await seriousFindings(chat.page.mainFrame()), []);
      await button('More Ways to Allow').click();
      assert.deepEqual(await seriousFindings(chat.page.mainFrame()), []);
      await press('Escape');
      await button('Deny with message…').click();
      assert.deepEqual(await seriousFindings(chat.page.mainFrame()), []);
    });
  }
});
