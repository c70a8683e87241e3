import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ARTIFACTS } from '../../../scripts/support/paths.ts';
import type { ChatItem } from '../../../src/protocol/items/chat-item';
import type { HostToWebview } from '../../../src/protocol/messages';
import { seriousFindings } from '../../support/axe';
import { assistant, gate, RUNNING, snapshot, tool, TOUR, user, IDLE } from '../harness/demo';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness } from '../harness/harness';
import { hasHiddenCharacters } from '../../../src/base/text/visible-text';
import { HIDING_COMMAND, SHOWN_COMMAND } from '../../support/hidden-text';

const PICTURES = join(ARTIFACTS, 'webview');

describe('chat page: messages', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const item = (id: string): Locator => chat.page.locator(`[data-item-id="${id}"]`);
  const button = (name: string): Locator => chat.page.getByRole('button', { name, exact: true });
  const press = (key: string): Promise<void> => chat.page.keyboard.press(key);
  const distanceToEnd = (): Promise<number> =>
    chat.page.locator('[role="log"]').evaluate(log => log.scrollHeight - log.scrollTop - log.clientHeight);

  const delta = (revision: number, append: string): HostToWebview => ({
    type: 'text',
    revision,
    id: 'a',
    block: 0,
    blockType: 'text',
    append,
  });
  const streaming = assistant('a', '', { state: 'streaming', blocks: [] });

  it('draws finished blocks once and only the last one again', async () => {
    await open(snapshot([streaming]));
    await chat.post(delta(1, 'First paragraph.\n\nSecond\n'));
    const first = await item('a').locator('p', { hasText: 'First' }).elementHandle();
    await chat.post(delta(2, ' grows\n\n```ts\nlet a = 1;\n'));
    const code = await item('a').locator('hookline-code').elementHandle();
    await chat.post(delta(3, 'let b = 2;\n```\n\nThe end.\n'));
    await chat.post({
      type: 'item',
      revision: 4,
      item: assistant('a', 'First paragraph.\n\nSecond\n grows\n\n```ts\nlet a = 1;\nlet b = 2;\n```\n\nThe end.\n'),
    });
    assert.equal(await first.evaluate(node => node.isConnected), true);
    assert.equal(await code.evaluate(node => node.isConnected), true);
    assert.match(await item('a').innerText(), /let a = 1;\s+let b = 2;\s+The end\./);
    assert.ok((await item('a').locator('.hljs-keyword').count()) > 0);
  });

  it('follows the end until the user scrolls up, and again after the jump', async () => {
    await open(snapshot([streaming], { status: RUNNING }));
    await chat.post(delta(1, 'line\n\n'.repeat(80)));
    assert.ok((await distanceToEnd()) < 2);
    await chat.page.mouse.move(200, 300);
    await chat.page.mouse.wheel(0, -600);
    await button('Jump to Latest').waitFor();
    await chat.post(delta(2, 'more\n\n'.repeat(20)));
    assert.ok((await distanceToEnd()) > 600);
    await button('Jump to Latest').click();
    await chat.post(delta(3, 'and more\n\n'.repeat(20)));
    assert.ok((await distanceToEnd()) < 2);
    assert.equal(await button('Jump to Latest').count(), 0);
  });

  it('follows the end after a menu of a card was opened, but not after a card was', async () => {
    const bash = tool('t', 'bash', 'npm test', { type: 'running', startedAt: Date.now() });
    await open(snapshot([bash, streaming], { status: RUNNING }));
    await button('Actions for bash').click();
    await press('Escape');
    await chat.post(delta(1, 'line\n\n'.repeat(80)));
    assert.ok((await distanceToEnd()) < 2);
    await item('t').locator('.card-line').press('Enter');
    await chat.post(delta(2, 'more\n\n'.repeat(20)));
    assert.ok((await distanceToEnd()) > 24);
  });

  it('draws only what is near of 5,000 messages, and does not jump while scrolling back', async () => {
    const many = Array.from({ length: 5000 }, (_, index): ChatItem =>
      index % 2 === 0
        ? user(`m${index}`, `Question ${index}`)
        : assistant(`m${index}`, 'Some *words* to wrap. '.repeat(1 + (index % 30))),
    );
    await open(snapshot(many));
    assert.equal(await chat.page.locator('[data-item-id]').count(), 5000);
    assert.ok((await chat.page.locator('hookline-markdown').count()) < 400);
    await chat.page.locator('[role="log"]').evaluate(log => {
      log.scrollTop = log.scrollHeight / 2;
    });
    const moved = await chat.page.locator('[role="log"]').evaluate(async log => {
      const frame = (): Promise<unknown> =>
        new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
      const worst: number[] = [];
      for (let step = 0; step < 40; step++) {
        await frame();
        const top = log.getBoundingClientRect().top;
        const mark = [...log.querySelectorAll('article')].find(one => one.getBoundingClientRect().top > top + 250);
        const before = mark?.getBoundingClientRect().top ?? 0;
        log.scrollBy(0, -140);
        await frame();
        worst.push(Math.abs((mark?.getBoundingClientRect().top ?? 0) - before - 140));
      }
      return Math.max(...worst);
    });
    assert.ok(moved < 3, `an item moved by ${moved} px beyond the scroll`);
  });

  it('runs nothing of hostile text, wherever it stands', async () => {
    const evil = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script><svg onload=window.hacked=1>';
    const links =
      '[a](javascript:window.hacked=1) [b](command:x) [c](data:text/html,x) ![d](https://evil.test/p.png) [e](//evil.test)';
    const all = `${evil}\n\n${links}\n\n\`\`\`${evil}\n${evil}\n\`\`\`\n\n> ${evil}\n\n${'q|'.repeat(200)}\n${'-|'.repeat(200)}\n\n\`\`\`\nunclosed ${evil}`;
    await open(
      snapshot(
        [
          user('u', all),
          assistant('a', all, {
            model: evil,
            blocks: [
              { type: 'thinking', text: all },
              { type: 'text', text: all },
            ],
          }),
          tool(
            't',
            'bash',
            evil,
            { type: 'blocked', by: { path: evil, name: evil }, reason: evil },
            { output: evil, args: evil, diff: evil },
          ),
          { kind: 'notice', id: 'n', level: 'error', text: evil, detail: evil },
          { kind: 'custom', id: 'c', customType: evil, text: all },
          gate('g', { title: evil, message: evil, dialog: { type: 'select', options: [evil] } }),
        ],
        { status: { ...IDLE, title: evil, model: evil, hookStatus: [evil] } },
      ),
    );
    await item('a').locator('summary').click();
    for (const link of await chat.page.getByText(/^[abcde]$/).all()) await link.click();
    assert.equal(await chat.page.evaluate(() => 'hacked' in window), false);
    assert.equal(
      await chat.page
        .locator('script:not([nonce]), .log img, .log svg, iframe, [onerror], [onload], .log [href]')
        .count(),
      0,
    );
    assert.deepEqual(await chat.sentOf('openLink'), []);
  });

  it('stays alive with 5 MB in one line', async () => {
    await open(snapshot([assistant('a', '**x** [y](z) '.repeat(400_000)), user('u', 'x'.repeat(1_000_000))]));
    await item('a')
      .getByRole('button', { name: /Show more \([\d,]+ characters left\)/ })
      .click();
    assert.ok((await item('a').innerText()).length < 300_000);
  });

  it('marks characters that hide in a command, in the card of the call and of the question', async () => {
    await open(
      snapshot([
        tool('t', 'bash', HIDING_COMMAND, { type: 'writing' }),
        gate('g', {
          title: HIDING_COMMAND,
          message: HIDING_COMMAND,
          dialog: { type: 'select', options: [HIDING_COMMAND] },
        }),
      ]),
    );
    for (const id of ['t', 'g']) {
      const shown = await item(id).innerText();
      assert.ok(shown.includes(SHOWN_COMMAND), shown);
      assert.equal(hasHiddenCharacters(shown), false);
      assert.equal(await item(id).locator('.hidden-character', { hasText: '⟦U+200B⟧' }).first().isVisible(), true);
    }
    assert.equal((await item('g').innerText()).split(SHOWN_COMMAND).length, 4);
  });

  it('opens links and files through the host only', async () => {
    await open(snapshot([assistant('a', '[web](https://example.org/x) and `src/a.ts:3`, [file](b.ts#L4)')]));
    await item('a').getByRole('link', { name: 'web' }).click();
    await item('a').getByRole('link', { name: 'src/a.ts:3' }).focus();
    await press('Enter');
    await item('a').getByRole('link', { name: 'file' }).click();
    assert.deepEqual(await chat.sentOf('openLink'), [{ type: 'openLink', href: 'https://example.org/x' }]);
    assert.deepEqual(await chat.sentOf('openFile'), [
      { type: 'openFile', path: 'src/a.ts', line: 3 },
      { type: 'openFile', path: 'b.ts', line: 4 },
    ]);
  });

  it('copies code, inserts it and opens it as a file', async () => {
    await open(snapshot([assistant('a', '```ts\nlet a\u202e = 1;\n```\n')]));
    await button('Copy Code').click();
    await button('Insert at Cursor').click();
    await button('Open as File').click();
    const text = 'let a\u202e = 1;';
    const [copy, insert, opened] = (await chat.sent()).slice(1);
    assert.deepEqual(
      [copy, insert, opened],
      [
        { type: 'copy', text },
        { type: 'insertAtCursor', text },
        { type: 'openText', text, language: 'ts' },
      ],
    );
    await button('Copied').waitFor();
  });

  const TYPED = 'Please:\n- build\n- test\n\nFirst line\nsecond line\n\n```ts\nconst a = 1;\n```';

  it('draws the Markdown of what was typed with its line breaks, and copies it as it was typed, at 292 px', async () => {
    await open(snapshot([user('u', TYPED), assistant('a', 'Done.')]), { width: 292 });
    assert.deepEqual(await item('u').locator('li').allInnerTexts(), ['build', 'test']);
    assert.match(await item('u').locator('p').last().innerText(), /First line\nsecond line/);
    assert.equal((await item('u').locator('hookline-code code').innerText()).trim(), 'const a = 1;');
    await item('u').hover();
    await item('u').getByRole('button', { name: 'Copy Message' }).click();
    assert.deepEqual(await chat.sentOf('copy'), [{ type: 'copy', text: TYPED }]);
    assert.deepEqual(await seriousFindings(chat.page), []);
    await chat.page.screenshot({ path: join(PICTURES, 'panel-user-message-292.png') });
  });

  it('copies an answer and asks for another one by keyboard, but not for another one while the agent works', async () => {
    const answer = assistant('a', 'It is **done**.');
    await open(snapshot([user('u', 'Do it'), answer]), { width: 292 });
    await item('a').getByRole('button', { name: 'Copy Answer' }).focus();
    await press('Enter');
    await press('Tab');
    await press('Enter');
    assert.deepEqual((await chat.sent()).slice(-2), [
      { type: 'copy', text: 'It is **done**.' },
      { type: 'answerAgain', id: 'a' },
    ]);
    await chat.page.screenshot({ path: join(PICTURES, 'panel-answer-actions-292.png') });
    await chat.post({ type: 'status', revision: 1, status: RUNNING });
    await item('a')
      .getByRole('button', { name: /^Retry/ })
      .waitFor({ state: 'hidden' });
    await item('a').getByRole('button', { name: 'Copy Answer' }).waitFor();
    assert.match((await chat.page.evaluate(() => document.activeElement?.getAttribute('role'))) ?? '', /^log$/);
    await chat.post({ type: 'item', revision: 2, item: assistant('a', 'More', { state: 'streaming' }) });
    assert.equal(await item('a').getByRole('button', { name: 'Copy Answer' }).count(), 0);
  });

  it('keeps lines of prose short in a wide page, and lets code be wider', async () => {
    const words = 'word '.repeat(200);
    const code = `\`\`\`\n${'x'.repeat(300)}\n\`\`\``;
    await open(snapshot([user('u', words), assistant('a', `${words}\n\n- ${words}\n\n${code}`)]), { width: 1330 });
    const widthOf = (selector: string): Promise<number> =>
      item('a')
        .locator(selector)
        .first()
        .evaluate(element => element.getBoundingClientRect().width);
    const prose = await widthOf('hookline-markdown p');
    const perCharacter = await item('a')
      .locator('hookline-markdown p')
      .first()
      .evaluate(p => {
        const range = document.createRange();
        range.setStart(p.firstChild!, 0);
        range.setEnd(p.firstChild!, 50);
        return range.getBoundingClientRect().width / 50;
      });
    assert.ok(prose / perCharacter > 60 && prose / perCharacter <= 100, `${prose / perCharacter} characters`);
    assert.ok((await widthOf('li')) <= prose + 1);
    assert.ok((await widthOf('hookline-code')) > prose + 100);
    await chat.page.screenshot({ path: join(PICTURES, 'panel-wide-1330.png') });
  });

  it('leads by keyboard to other versions of a message', async () => {
    const sent = { kind: 'user', id: 'u', text: 'go', images: [], state: 'sent' } as const;
    await open(snapshot([{ ...sent, version: { at: 2, of: 2 } }]), { width: 300 });
    const versions = item('u').getByRole('group', { name: 'Versions of this message' });
    assert.match(await versions.innerText(), /2\/2/);
    assert.equal(await versions.getByRole('button', { name: 'Next version' }).isDisabled(), true);
    await versions.getByRole('button', { name: 'Previous version' }).focus();
    await chat.page.keyboard.press('Enter');
    assert.deepEqual(await chat.sentOf('showVersion'), [{ type: 'showVersion', id: 'u', by: 'previous' }]);
    assert.deepEqual(await seriousFindings(chat.page), []);
  });

  it('offers to go on where a run was stopped or interrupted, and no more once it went on', async () => {
    const stopped = assistant('s', 'Half', { state: 'aborted', help: ['continue'] });
    const text = 'This run was interrupted.';
    const mark = { kind: 'notice', id: 'n', level: 'warning', text, canContinue: true } as const;
    await open(snapshot([user('u', 'go'), stopped, user('v', 'more'), mark]), { width: 300 });
    for (const id of ['s', 'n']) {
      await item(id).getByRole('button', { name: 'Continue' }).focus();
      await chat.page.keyboard.press('Enter');
    }
    assert.deepEqual(await chat.sentOf('help'), [{ type: 'help', id: 's', help: 'continue' }]);
    assert.deepEqual(await chat.sentOf('continueRun'), [{ type: 'continueRun' }]);
    await chat.post({ type: 'item', revision: 1, item: { ...mark, canContinue: false } });
    assert.equal(await item('n').getByRole('button', { name: 'Continue' }).count(), 0);
  });

  it('counts how long it thinks, and says how long it thought', async () => {
    const startedAt = Date.now() - 65_000;
    await open(snapshot([streaming], { status: RUNNING }));
    const begins = { type: 'text', id: 'a', block: 0, blockType: 'thinking', append: 'Hm.', startedAt } as const;
    await chat.post({ ...begins, revision: 1 });
    const summary = item('a').locator('summary');
    assert.match(await summary.innerText(), /^Thinking… 1 min \d+ s$/);
    await chat.post({ type: 'thought', revision: 2, id: 'a', block: 0, durationMs: 65_000 });
    assert.equal(await summary.innerText(), 'Thought for 1 min 5 s');
  });

  for (const [durationMs, told] of [
    [0, 'Thought'],
    [999, 'Thought'],
    [1000, 'Thought for 1.0 s'],
  ] as const) {
    it(`says “${told}” of ${durationMs} ms`, async () => {
      const blocks = [{ type: 'thinking', text: 'Hm.', durationMs }] as const;
      await open(snapshot([assistant('a', '', { blocks })]));
      assert.equal(await item('a').locator('summary').innerText(), told);
    });
  }

  it('folds thinking, names the demo model and says what failed', async () => {
    await open(snapshot(TOUR));
    assert.equal(await item('a1').getByText('First look, then act').count(), 0);
    await item('a1').getByText('Thought').click();
    await item('a1').getByText('First look, then act').waitFor();
    assert.match(await item('a1').innerText(), /Demo/);
    assert.match(await item('a2').innerText(), /529 overloaded/);
  });
});
