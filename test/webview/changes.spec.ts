import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { Changes } from '../../src/protocol/panels/changes';
import { assistant, gate, GATE_HOOK, snapshot, tool, user } from './harness/demo';
import { seriousFindings } from '../support/axe';
import { eachInBrowser } from './harness/each-in-browser';
import type { ChatHarness, Theme } from './harness/harness';

const CHANGES: Changes = {
  files: [
    {
      path: '/w/src/a.ts',
      displayPath: 'src/a.ts',
      kind: 'changed',
      added: 2,
      removed: 1,
      tools: ['edit'],
      version: 4,
    },
    { path: '/w/new.txt', displayPath: 'new.txt', kind: 'created', added: 1, removed: 0, tools: ['bash'], version: 3 },
    {
      path: '/w/big.bin',
      displayPath: 'big.bin',
      kind: 'changed',
      tools: ['bash'],
      version: 2,
      cannotRevert: 'it was too large.',
    },
    { path: '/w/old.txt', displayPath: 'old.txt', kind: 'back', added: 0, removed: 0, tools: ['edit'], version: 1 },
  ],
  more: 0,
  note: 'What commands change is not listed: too many files.',
  undo: ['old.txt'],
};

describe('changed files and cards in the page', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const list = (): Locator => chat.page.locator('[data-hookline="changes"]');
  const button = (name: string | RegExp): Locator =>
    chat.page.getByRole('button', { name, exact: typeof name === 'string' });
  const press = (key: string): Promise<void> => chat.page.keyboard.press(key);

  it('lists nothing while nothing was changed', async () => {
    await open(snapshot([user('u', 'hi')]));
    assert.equal(await list().count(), 0);
  });

  it('asks for a difference when a file is opened, and again when it has changed', async () => {
    await open(snapshot([user('u', 'hi')], { changes: CHANGES }));
    await list().focus();
    await press('Enter');
    for (let tabs = 0; tabs < 5; tabs += 1) await press('Tab');
    assert.equal(await chat.page.locator(':focus').getAttribute('aria-label'), 'Show the changes of src/a.ts');
    await press('Enter');
    assert.deepEqual(await chat.sentOf('loadDiff'), [{ type: 'loadDiff', path: '/w/src/a.ts' }]);
    const diff = { path: '/w/src/a.ts', version: 4, diff: '-1 one\n+1 two', isText: true };
    await chat.post({ type: 'fileDiff', revision: 1, diff });
    await chat.page.locator('.changes .diff-added', { hasText: 'two' }).waitFor();
    const [first, ...others] = CHANGES.files;
    await chat.post({
      type: 'changes',
      revision: 2,
      changes: { ...CHANGES, files: [{ ...first!, version: 9 }, ...others] },
    });
    assert.equal((await chat.sentOf('loadDiff')).length, 2);
  });

  it('asks again for the difference of an open file when the conversation is drawn anew', async () => {
    await open(snapshot([user('u', 'hi')], { changes: CHANGES }));
    await list().click();
    await button('Show the changes of src/a.ts').click();
    const diff = { path: '/w/src/a.ts', version: 4, diff: '-1 one\n+1 two', isText: true };
    await chat.post({ type: 'fileDiff', revision: 1, diff });
    const added = chat.page.locator('.changes .diff-added', { hasText: 'two' });
    await added.waitFor();
    await chat.post(snapshot([user('u', 'hi')], { changes: CHANGES, revision: 2 }));
    assert.equal((await chat.sentOf('loadDiff')).length, 2);
    await chat.post({ type: 'fileDiff', revision: 3, diff });
    await added.waitFor();
  });

  for (const [theme, border] of [
    ['hc-dark', 'rgb(51, 255, 46)'],
    ['hc-light', 'rgb(55, 78, 6)'],
  ] as const) {
    it(`tells new lines from others where the theme has no grounds for them (${theme})`, async () => {
      await open(snapshot([user('u', 'hi')], { changes: CHANGES }), { theme });
      await list().focus();
      await press('Enter');
      await button('Show the changes of src/a.ts').press('Enter');
      const diff = { path: '/w/src/a.ts', version: 4, diff: '-1 one\n+1 two', isText: true };
      await chat.post({ type: 'fileDiff', revision: 1, diff });
      const line = chat.page.locator('.changes .diff-added', { hasText: 'two' });
      assert.equal(await line.evaluate(one => getComputedStyle(one).outlineColor), border);
    });
  }

  it('goes up and down by arrow keys, and names what can be done', async () => {
    await open(snapshot([user('u', 'hi')], { changes: CHANGES }));
    await list().click();
    await button('src/a.ts, changed: open the diff').focus();
    await press('ArrowDown');
    await press('Enter');
    await button('Revert new.txt').click();
    await button('Undo revert of old.txt').click();
    await button('Revert All Files').click();
    assert.deepEqual(await chat.sentOf('openChange'), [{ type: 'openChange', path: '/w/new.txt' }]);
    assert.deepEqual(await chat.sentOf('revertFile'), [{ type: 'revertFile', path: '/w/new.txt' }]);
    assert.equal((await chat.sentOf('undoRevert')).length, 1);
    assert.equal((await chat.sentOf('revertAll')).length, 1);
    assert.equal(await button('Revert big.bin').count(), 0);
    assert.equal(await button('Revert old.txt').count(), 0);
    assert.match(await chat.page.locator('.changes').innerText(), /Cannot be reverted: it was too large/);
  });

  it('brings files back to before a message', async () => {
    await open(snapshot([user('u', 'hi')]));
    await button('Revert Files to Before This Message').click();
    assert.deepEqual(await chat.sentOf('revertTo'), [{ type: 'revertTo', id: 'u' }]);
  });

  it('offers on a card to run it again, to copy, to show the file and to undo it', async () => {
    const edit = {
      name: 'edit',
      path: '/w/a.ts',
      diff: '-1 a\n+1 b',
      touched: [{ path: '/w/a.ts', displayPath: 'a.ts' }],
    };
    const bash = { output: 'out', touched: [{ path: '/w/b.ts', displayPath: 'b.ts' }] };
    await open(
      snapshot([
        tool('tool:e', 'edit', 'a.ts', { type: 'done', durationMs: 5 }, edit),
        tool('tool:b', 'bash', 'make', { type: 'done', durationMs: 5 }, bash),
      ]),
    );
    const card = (id: string): Locator => chat.page.locator(`[data-item-id="${id}"]`);
    const on = (id: string, name: string): Promise<void> => card(id).getByRole('button', { name, exact: true }).click();
    await on('tool:e', 'Show a.ts in the Explorer');
    await on('tool:e', 'Revert This Change');
    await on('tool:e', 'Copy Path');
    await on('tool:b', 'Run Again');
    await on('tool:b', 'Copy Command');
    await on('tool:b', 'Copy Output');
    await on('tool:b', 'Insert into Terminal');
    await card('tool:b').locator('.card-line').click();
    await on('tool:b', 'Arguments');
    await on('tool:b', 'Copy Arguments');
    await on('tool:b', '1 file changed');
    await on('tool:b', 'b.ts: open the diff');
    await on('tool:b', 'Revert What This Command Changed');
    assert.deepEqual(await chat.sentOf('revealFile'), [{ type: 'revealFile', path: '/w/a.ts' }]);
    assert.deepEqual(await chat.sentOf('revertCall'), [
      { type: 'revertCall', id: 'tool:e' },
      { type: 'revertCall', id: 'tool:b' },
    ]);
    assert.deepEqual(await chat.sentOf('runAgain'), [{ type: 'runAgain', id: 'tool:b' }]);
    assert.deepEqual(await chat.sentOf('openTerminal'), [{ type: 'openTerminal', command: 'make' }]);
    assert.deepEqual(await chat.sentOf('openChange'), [{ type: 'openChange', path: '/w/b.ts' }]);
    const copied = (await chat.sentOf('copy')).map(({ text }) => text);
    assert.deepEqual(copied, ['a.ts', 'make', 'out', JSON.stringify({ command: 'make' }, null, 2)]);
  });

  it('says on the card that what was approved was changed afterwards, and what was answered', async () => {
    const asked = {
      hook: GATE_HOOK,
      event: 'tool_call',
      durationMs: 5,
      outcome: 'nothing',
      asked: [{ question: 'Sure?', answer: 'Yes' }],
    } as const;
    const changed = {
      hook: { path: '/w/late.ts', name: 'late.ts', line: 3 },
      event: 'tool_call',
      durationMs: 1,
      outcome: 'modified',
      detail: 'input',
      changes: [{ member: 'input', diff: '-1 one\n+1 two' }],
      afterApproval: true,
    } as const;
    await open(
      snapshot([tool('tool:b', 'bash', 'two', { type: 'done', durationMs: 5 }, { verdicts: [asked, changed] })]),
    );
    await chat.page.getByText('It changed the input after you answered an earlier hook').first().waitFor();
    await chat.page.locator('.card-line').click();
    await chat.page.getByText('It asked you “Sure?”, and you answered “Yes”.').waitFor();
    await chat.page.locator('.verdict-change .diff-added', { hasText: 'two' }).waitFor();
    await button(/^late\.ts:3 \(open/)
      .last()
      .click();
    assert.deepEqual(await chat.sentOf('openFile'), [{ type: 'openFile', path: '/w/late.ts', line: 3 }]);
  });

  it('denies with a message by keyboard', async () => {
    await open(snapshot([gate('g', { canDeny: true })]));
    await button('Deny with message…').focus();
    await chat.page.keyboard.down('Enter');
    await chat.page.keyboard.down('Enter');
    await chat.page.keyboard.up('Enter');
    await chat.page.keyboard.type('not here,');
    await press('Shift+Enter');
    await chat.page.keyboard.type('but there');
    assert.deepEqual(await chat.sentOf('deny'), []);
    await press('Enter');
    assert.deepEqual(await chat.sentOf('deny'), [{ type: 'deny', id: 'g', message: 'not here,\nbut there' }]);
    assert.equal((await chat.sentOf('answer')).length, 0);
  });

  it('hands code over with the file that is named in the fence or before it', async () => {
    const text =
      'Change `src/near.ts`:\n\n```ts\nlet a;\n```\n\n```ts lib/own.ts\nlet b;\n```\n\nNo file here.\n\n```ts\nlet c;\n```\n';
    await open(snapshot([assistant('a', text)]));
    for (const index of [0, 1, 2]) await button('Apply to File…').nth(index).click();
    assert.deepEqual(
      (await chat.sentOf('applyCode')).map(({ path, text: code }) => [path, code]),
      [
        ['src/near.ts', 'let a;'],
        ['lib/own.ts', 'let b;'],
        [undefined, 'let c;'],
      ],
    );
  });

  for (const theme of ['dark', 'light', 'hc-dark', 'hc-light'] as readonly Theme[]) {
    it(`has no serious finding of axe in ${theme}`, async () => {
      await open(snapshot([gate('g', { canDeny: true })], { changes: CHANGES }), { theme });
      await list().click();
      await button('Show the changes of src/a.ts').click();
      const diff = { path: '/w/src/a.ts', version: 4, diff: '-1 one\n+1 two', isText: true };
      await chat.post({ type: 'fileDiff', revision: 1, diff });
      await button('Deny with message…').click();
      assert.deepEqual(await seriousFindings(chat.page), []);
    });
  }
});
