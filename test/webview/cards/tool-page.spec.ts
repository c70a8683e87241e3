import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ARTIFACTS } from '../../../scripts/support/paths.ts';
import type { HostToWebview } from '../../../src/protocol/messages';
import { seriousFindings } from '../../support/axe';
import { assistant, gate, GATE_HOOK, snapshot, tool, TOUR } from '../harness/demo';
import { drawnPath } from '../harness/drawn-path';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness, Theme } from '../harness/harness';

const PICTURES = join(ARTIFACTS, 'webview');

describe('chat page: tool cards', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const item = (id: string): Locator => chat.page.locator(`[data-item-id="${id}"]`);
  const press = (key: string): Promise<void> => chat.page.keyboard.press(key);
  const line = (id: string): Locator => item(id).locator('.card-line');
  const button = (name: string): Locator => chat.page.getByRole('button', { name, exact: true });

  it('says each state in words and who blocked what', async () => {
    const started = tool('r', 'bash', 'sleep 9', { type: 'running', startedAt: Date.now() - 65_000 });
    await open(snapshot([...TOUR, started]));
    assert.match(await item('tool:4').innerText(), /Blocked by permission-gate\.ts: Blocked by user/);
    assert.match(await item('tool:3').innerText(), /Failed · 2\.3 s/);
    assert.match(await item('tool:5').innerText(), /Skipped: the run was stopped/);
    assert.match(await item('tool:6').innerText(), /Waiting for your answer/);
    assert.match(await item('r').innerText(), /Running 1 min \d+ s/);
  });

  it('calls what the user denied denied, in no color of an error, with the message once', async () => {
    const reason = 'The user did not allow this call.\n\nThe user says: keep my notes';
    const blocked = { type: 'blocked', by: GATE_HOOK, reason } as const;
    const answered = { state: { type: 'answered', answer: 'Denied' }, toolItem: 'said' } as const;
    const items = [
      tool('said', 'write', 'notes.txt', { ...blocked, denied: { says: 'keep my notes' } }, { output: reason }),
      gate('g', answered),
      tool('plain', 'write', 'notes.txt', { ...blocked, denied: {} }, { output: reason }),
      tool('hook', 'write', 'notes.txt', blocked, { output: reason }),
      tool('waits', 'bash', 'true', { type: 'waiting' }),
    ];
    await open(snapshot(items), { width: 292 });
    const told = await item('said').innerText();
    assert.equal(told.split('keep my notes').length, 2);
    assert.doesNotMatch(told, /Blocked|The user says/);
    assert.match(told, /You said: keep my notes/);
    assert.doesNotMatch(await item('plain').innerText(), /Blocked|You said/);
    assert.equal(await item('plain').getAttribute('aria-label'), 'Tool write, denied');
    assert.match(await item('hook').innerText(), /Blocked by permission-gate\.ts/);
    const look = (id: string): Promise<readonly string[]> =>
      item(id).evaluate(one => [
        getComputedStyle(one.querySelector('.chip')!).color,
        getComputedStyle(one.querySelector('.card')!).borderInlineStartWidth,
      ]);
    assert.deepEqual(await look('said'), await look('waits'));
    assert.deepEqual(await look('plain'), await look('waits'));
    assert.notDeepEqual(await look('hook'), await look('waits'));
    await chat.page.screenshot({ path: join(PICTURES, 'denied-card-292.png') });
  });

  it('says the same word for a state on the card and to a screen reader, at 292 px', async () => {
    const states = [
      [{ type: 'writing' }, 'Writing…', 'being written'],
      [{ type: 'waiting' }, 'Waiting', 'waiting'],
      [{ type: 'checking' }, 'Checking', 'being checked'],
      [{ type: 'asking', hook: GATE_HOOK }, 'Waiting for your answer', 'waiting for your answer'],
      [{ type: 'stopped', durationMs: 2_300 }, 'Stopped · 2.3 s', 'stopped'],
      [{ type: 'failed', durationMs: 2_300 }, 'Failed · 2.3 s', 'failed'],
      [{ type: 'notFound' }, 'Not found', 'not found'],
    ] as const;
    await open(snapshot(states.map(([state], at) => tool(`t${at}`, 'bash', 'npm run build && npm test', state))), {
      width: 292,
    });
    for (const [at, [, word, spoken]] of states.entries()) {
      assert.equal((await item(`t${at}`).locator('.chip').innerText()).trim(), word);
      assert.equal(await item(`t${at}`).getAttribute('aria-label'), `Tool bash, ${spoken}`);
    }
    const colourOf = (id: string): Promise<string> =>
      item(id)
        .locator('.chip')
        .evaluate(chip => getComputedStyle(chip).color);
    assert.equal(await colourOf('t4'), await colourOf('t1'), 'a stop is no failure');
    assert.notEqual(await colourOf('t4'), await colourOf('t5'));
    await chat.page.screenshot({ path: join(PICTURES, 'panel-states-292.png') });
  });

  it('says how long a call took from a second on; opened, it says all times', async () => {
    const times = [0.4, 420, 999, 1_000, 62_000].map(durationMs => ({ type: 'done', durationMs }) as const);
    const verdicts = [{ hook: GATE_HOOK, event: 'tool_call', durationMs: 3, outcome: 'nothing' }] as const;
    await open(snapshot(times.map((state, at) => tool(`t${at}`, 'bash', 'make', state, { verdicts }))));
    const words = await chat.page.locator('.card-line .chip').allInnerTexts();
    assert.deepEqual(
      words.map(word => word.trim()),
      ['Done', 'Done', 'Done', 'Done · 1.0 s', 'Done · 1 min 2 s'],
    );
    await line('t0').click();
    assert.equal(await item('t0').locator('.call-times').innerText(), 'permission-gate.ts 3 ms · tool <1 ms');
  });

  it('shows no folder of a file where its last name has no room', async () => {
    const blocked = { type: 'blocked', by: GATE_HOOK, reason: 'No.' } as const;
    const paths = ['src/greet.ts', 'a/b/greet.ts', 'src/controllers/greet.ts'];
    for (const [width, drawn] of [
      [292, [false, false, false]],
      [560, [true, true, true]],
    ] as const) {
      await open(snapshot(paths.map((path, at) => tool(`w${at}`, 'write', path, blocked))), { width });
      await chat.page.screenshot({ path: join(PICTURES, `tool-path-blocked-${width}.png`) });
      for (const [at, isFolderDrawn] of drawn.entries()) {
        const path = await drawnPath(line(`w${at}`));
        assert.deepEqual(path, {
          isNameFirst: true,
          isNameWhole: true,
          isFolderDrawn,
          isFolderStartInSight: isFolderDrawn,
          isFolderEndInSight: isFolderDrawn,
        });
        assert.equal(await line(`w${at}`).locator('.tool-summary').textContent(), paths[at]);
      }
    }
  });

  it('shows the name of a file before its folder, which is cut on the left, at 292 px', async () => {
    const path = 'packages/server/controllers/src/login.ts';
    const done = { type: 'done', durationMs: 0.4 } as const;
    await open(snapshot([tool('r', 'read', path, done), tool('l', 'read', 'src/index.ts', done)]), { width: 292 });
    assert.deepEqual(await drawnPath(line('r')), {
      isNameFirst: true,
      isNameWhole: true,
      isFolderDrawn: true,
      isFolderStartInSight: false,
      isFolderEndInSight: true,
    });
    const summary = line('r').locator('.tool-summary');
    assert.equal(await summary.textContent(), path);
    assert.equal(await summary.getAttribute('title'), path);
    await chat.page.screenshot({ path: join(PICTURES, 'tool-path-292.png') });
    await line('r').click();
    assert.equal(await summary.locator('.path').count(), 0, 'the opened card has the path as it is');
    assert.equal(await summary.innerText(), path);
    assert.ok(await summary.evaluate(code => code.scrollWidth <= code.clientWidth), 'nothing of it is cut');
  });

  it('lists the verdicts with a way to the line in the hook', async () => {
    await open(snapshot(TOUR));
    await line('tool:4').click();
    const list = item('tool:4').locator('.verdicts');
    assert.match(await list.innerText(), /protected-paths\.ts:7 no decision\s+tool_call · <1 ms/);
    assert.match(await list.innerText(), /permission-gate\.ts:12 blocked it\s+tool_call · 5\.3 s\s+Blocked by user/);
    await list.getByText('permission-gate.ts:12').click();
    assert.deepEqual(await chat.sentOf('openFile'), [{ type: 'openFile', path: GATE_HOOK.path, line: 12 }]);
  });

  it('shows where the time of a call went, as bars and in words', async () => {
    const asked = {
      hook: GATE_HOOK,
      event: 'tool_call',
      durationMs: 2_002,
      askedMs: 2_000,
      outcome: 'nothing',
    } as const;
    const after = {
      hook: { path: '/h/redact.ts', name: 'redact.ts' },
      event: 'tool_result',
      durationMs: 3,
      outcome: 'modified',
    } as const;
    const done = { type: 'done', durationMs: 1_000 } as const;
    await open(snapshot([tool('t', 'bash', 'make', done, { verdicts: [asked, after] })]), { width: 300 });
    await line('t').click();
    const times = item('t').locator('.call-times');
    assert.equal(
      await times.innerText(),
      'permission-gate.ts 2 ms · Question to you 2.0 s · tool 1.0 s · redact.ts 3 ms',
    );
    const bars = await times
      .locator('rect')
      .evaluateAll(all => all.map(bar => `${bar.getAttribute('class')} ${Math.round(Number(bar.getAttribute('x')))}`));
    assert.deepEqual(bars, ['hook 0', 'asked 1', 'tool 666', 'decided 999']);
    assert.deepEqual(await seriousFindings(chat.page), []);
    mkdirSync(PICTURES, { recursive: true });
    await chat.page.screenshot({ path: join(PICTURES, 'call-times.png') });
  });

  it('says what is not known of a call, instead of making it up', async () => {
    const blocked = { type: 'blocked', reason: 'Blocked by user' } as const;
    await open(
      snapshot([
        tool('old', 'ls', '.', { type: 'done' }, { unrecorded: true }),
        tool('stopped', 'bash', 'rm -rf build', blocked, { unrecorded: true }),
        tool('guarded', 'bash', 'true', { type: 'blocked', reason: 'Blocked: gate.ts failed to load' }),
      ]),
    );
    assert.match(await item('old').innerText(), /Done$/m);
    assert.doesNotMatch(await item('old').innerText(), /ms|·/);
    await line('old').click();
    await item('old').getByRole('button', { name: 'Why did this run? not recorded' }).waitFor();
    await item('old')
      .getByText(/Hookline has no record of the hooks/)
      .waitFor();
    assert.match(await item('stopped').innerText(), /Blocked \(by which hook was not recorded\): Blocked by user/);
    assert.match(await item('guarded').innerText(), /Blocked by Hookline: Blocked: gate\.ts/);
    await line('stopped').click();
    await item('stopped').getByRole('button', { name: 'Why was this blocked? not recorded' }).waitFor();
    await line('guarded').click();
    assert.equal(await item('guarded').getByRole('button', { name: /Why/ }).count(), 0);
    mkdirSync(PICTURES, { recursive: true });
    await chat.page.screenshot({ path: join(PICTURES, 'not-recorded.png') });
  });

  it('shows live output with colours, at its end, and takes a reset', async () => {
    await open(snapshot([tool('t', 'bash', 'make', { type: 'running', startedAt: 0 })]));
    const output = (revision: number, append: string, reset = false): HostToWebview => ({
      type: 'output',
      revision,
      id: 't',
      append,
      reset,
    });
    await chat.post(output(1, '\x1b[31mred\x1b'), output(2, '[0m plain\n'.repeat(60)), output(3, '10%\r20%\r'));
    const pre = item('t').locator('hookline-output pre');
    assert.equal(await pre.locator('.ansi-fg-1').innerText(), 'red');
    assert.match(await pre.innerText(), /plain\s+20%$/);
    assert.ok(await pre.evaluate(element => element.scrollHeight - element.scrollTop - element.clientHeight < 2));
    await chat.post(output(4, 'tail only', true));
    assert.equal(await pre.innerText(), 'tail only');
  });

  it('shows the diff in the card and asks for VS Code’s own', async () => {
    await open(snapshot(TOUR));
    assert.equal(
      await item('tool:2').locator('.diff-removed').locator('.diff-text').innerText(),
      '  return Number(text);',
    );
    await item('tool:2').getByRole('button', { name: 'Show Diff' }).click();
    await item('tool:2').getByRole('button', { name: 'Open parse.ts' }).click();
    await item('tool:3')
      .getByRole('button', { name: /Full output \(open .*out\.txt\)/ })
      .click();
    assert.deepEqual((await chat.sent()).slice(1), [
      { type: 'showDiff', id: 'tool:2' },
      { type: 'openFile', path: '/work/demo/src/parse.ts' },
      { type: 'openFile', path: '/tmp/out.txt' },
    ]);
  });

  it('does not say that a call ran while it waits for an answer', async () => {
    const verdicts = [{ hook: GATE_HOOK, event: 'tool_call', durationMs: 2, outcome: 'nothing' }] as const;
    await open(snapshot([tool('t', 'bash', 'make', { type: 'asking', hook: GATE_HOOK }, { verdicts })]), {
      width: 292,
    });
    await line('t').click();
    await item('t')
      .getByRole('button', { name: /^What did hooks decide\? 1 hook/ })
      .waitFor();
  });

  it('does not say that a question was canceled which the user answered with a message', async () => {
    const denied = { type: 'blocked', reason: 'The user said: no', denied: { says: 'no' } } as const;
    const verdict = {
      hook: GATE_HOOK,
      event: 'tool_call',
      durationMs: 2,
      outcome: 'blocked',
      asked: [{ question: 'Run this command?' }],
    } as const;
    const byPerson = { ...verdict, approvalReason: { by: 'person', says: 'no' } } as const;
    await open(
      snapshot([
        tool('answered', 'bash', 'make', denied, { verdicts: [byPerson] }),
        tool('canceled', 'bash', 'make', { type: 'blocked', reason: 'no' }, { verdicts: [verdict] }),
      ]),
      { width: 292 },
    );
    for (const id of ['answered', 'canceled']) await line(id).click();
    await item('canceled').getByText('It asked you “Run this command?”, and the question was canceled.').waitFor();
    await item('answered').getByText('You did not allow it.').waitFor();
    assert.doesNotMatch(await item('answered').innerText(), /canceled/);
  });

  it('is one line that Enter opens and closes, with what was decided and how long it took', async () => {
    const verdicts = [{ hook: GATE_HOOK, event: 'tool_call', durationMs: 2, outcome: 'modified' }] as const;
    const call = tool('t', 'read', 'src/parse.ts', { type: 'done', durationMs: 4 }, { output: 'export', verdicts });
    await open(snapshot([call]), { width: 560 });
    const height = async (): Promise<number> => (await item('t').locator('.card').boundingBox())?.height ?? 0;
    assert.ok((await height()) < 34, `the card is ${await height()} px high`);
    assert.match(await line('t').innerText(), /read\s+src\/\s*parse\.ts\s+changed by permission-gate\.ts\s+Done$/m);
    assert.equal(await line('t').getAttribute('aria-expanded'), 'false');
    await line('t').focus();
    await press('Enter');
    await item('t').locator('hookline-output', { hasText: 'export' }).waitFor();
    await item('t').locator('.verdicts', { hasText: 'permission-gate.ts:12' }).waitFor();
    assert.match(await item('t').getByRole('button', { name: /Why/ }).innerText(), /Why did this run\?\s1 hook$/);
    assert.equal(await line('t').getAttribute('aria-expanded'), 'true');
    await press('Enter');
    assert.equal(await item('t').locator('.panel').count(), 0);
  });

  it('shows actions to the mouse, and labelled in a menu to the keyboard', async () => {
    await open(snapshot(TOUR));
    const strip = item('tool:2').locator('.card-actions');
    const opacity = (): Promise<string> => strip.evaluate(element => getComputedStyle(element).opacity);
    assert.equal(await opacity(), '0');
    await line('tool:2').hover();
    assert.equal(await opacity(), '1');
    await line('tool:2').focus();
    await press('Tab');
    await press('Enter');
    const entries = chat.page.getByRole('menu', { name: 'Actions for edit' }).getByRole('menuitem');
    assert.deepEqual(await entries.allInnerTexts(), [
      'Show Diff',
      'Open parse.ts',
      'Show parse.ts in the Explorer',
      'Run Again',
      'Copy Path',
    ]);
    await press('Escape');
    assert.equal(await entries.count(), 0);
    assert.equal(await chat.page.locator(':focus').getAttribute('aria-label'), 'Actions for edit');
    assert.deepEqual(await chat.sentOf('stop'), [], 'Escape closed the menu only');
    await press('Enter');
    for (const key of ['ArrowUp', 'ArrowUp', 'Enter']) await press(key);
    assert.deepEqual(await chat.sentOf('runAgain'), [{ type: 'runAgain', id: 'tool:2' }]);
  });

  for (const theme of ['dark', 'light', 'hc-dark', 'hc-light'] satisfies Theme[]) {
    it(`cuts nothing at 300 px, and shows an edit's diff below one line, in ${theme}`, async () => {
      const path = '/work/demo/src/parse.ts';
      const asking = { type: 'asking', hook: GATE_HOOK } as const;
      const written = tool('w', 'write', 'src/new.ts', asking, { path, content: 'export const answer = 42;\n' });
      const command = 'npm run build -- --production --sourcemap=false --target=es2022';
      const long = tool('l', 'bash', command, { type: 'done', durationMs: 12_000 }, { output: 'built' });
      await open(snapshot([...TOUR.slice(3, 8), written, long]), { theme, width: 300 });
      await item('w').locator('.panel-content', { hasText: 'export const answer = 42;' }).waitFor();
      mkdirSync(PICTURES, { recursive: true });
      await chat.page.screenshot({ path: join(PICTURES, `tool-cards-300-${theme}.png`) });
      const head = await item('tool:2').locator('.card-head').boundingBox();
      const diff = await item('tool:2').locator('.diff').boundingBox();
      assert.ok(head !== null && diff !== null && diff.y - head.y < 34, 'there is one row above the diff');
      await line('l').click();
      assert.equal(
        await line('l')
          .locator('.tool-summary')
          .evaluate(code => code.scrollWidth > code.clientWidth),
        false,
      );
      const cut = await chat.page
        .locator('.card-line .chip, .card-line .tool-name')
        .evaluateAll(all => all.filter(part => part.scrollWidth > part.clientWidth).map(part => part.textContent));
      assert.deepEqual(cut, []);
      await item('tool:2').locator('.card-menu').click();
      await chat.page.screenshot({ path: join(PICTURES, `tool-menu-300-${theme}.png`) });
      assert.deepEqual(await seriousFindings(chat.page), []);
    });
  }

  it('offers what helps against a failed answer, by keyboard and at 292 px', async () => {
    const failed = assistant('e', '', {
      blocks: [],
      state: 'error',
      error:
        'Provider "anthropic" refused the API key (401). To set another one, run Hookline: Set API Key.\n' +
        '401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}',
      help: ['setApiKey', 'logIn', 'pickModel', 'retry'],
    });
    await open(snapshot([failed]), { width: 292 });
    assert.match(await item('e').locator('.problem').innerText(), /Set API Key\.\ninvalid x-api-key\s/);
    const buttons = item('e').locator('.help button');
    assert.deepEqual(await buttons.allInnerTexts(), ['Set API Key', 'Log In', 'Choose Model', 'Retry', 'Copy Details']);
    const right = await buttons.evaluateAll(all => Math.max(...all.map(each => each.getBoundingClientRect().right)));
    assert.ok(right <= 292, `a button ends at ${right} px`);
    await buttons.nth(3).focus();
    await chat.page.keyboard.press('Enter');
    await chat.page.keyboard.press('Tab');
    await chat.page.keyboard.press('Enter');
    assert.deepEqual((await chat.sent()).slice(1), [
      { type: 'help', id: 'e', help: 'retry' },
      { type: 'copy', text: failed.error },
    ]);
    mkdirSync(ARTIFACTS, { recursive: true });
    await chat.page.screenshot({ path: join(ARTIFACTS, 'error-help-292.png') });
  });

  it('keeps what was unfolded by hand when the item changes', async () => {
    await open(snapshot([tool('t', 'ls', '.', { type: 'writing' })]));
    await line('t').click();
    await item('t').getByRole('button', { name: 'Arguments' }).click();
    await chat.post({ type: 'toolState', revision: 1, id: 't', state: { type: 'done', durationMs: 2 } });
    await item('t').locator('.panel-arguments').getByText('"command"').waitFor();
  });

  it('offers each step of a notice, at 300 px', async () => {
    const held = {
      kind: 'notice' as const,
      id: 'held',
      level: 'warning' as const,
      text: 'A tool changed the hook permission-gate.ts. The change has no effect until you approve or save it.',
      hook: GATE_HOOK,
      actions: [
        { label: 'Show Change', command: 'compareHook' as const },
        { label: 'Approve', command: 'approveHook' as const },
        { label: 'Reject…', command: 'rejectHook' as const },
      ],
    };
    await open(snapshot([held]), { width: 300 });
    const buttons = item('held').locator('.choices button');
    const right = await buttons.evaluateAll(all => Math.max(...all.map(each => each.getBoundingClientRect().right)));
    assert.ok(right <= 292, `a button ends at ${right} px`);
    for (const label of await buttons.allInnerTexts()) await button(label).click();
    assert.deepEqual(
      (await chat.sentOf('notice')).map(({ command }) => command),
      ['compareHook', 'approveHook', 'rejectHook'],
    );
    mkdirSync(ARTIFACTS, { recursive: true });
    await chat.page.screenshot({ path: join(ARTIFACTS, 'held-hook-300.png') });
  });

  it('offers the step a notice names, and its place', async () => {
    await open(snapshot(TOUR));
    await button('Set API key').click();
    await item('n2').getByText('permission-gate.ts:4:7').click();
    await item('n2').getByText('Details').click();
    await item('n2').getByText('SyntaxError').waitFor();
    assert.deepEqual((await chat.sent()).slice(1), [
      { type: 'notice', id: 'n3', command: 'setApiKey' },
      { type: 'openFile', path: GATE_HOOK.path, line: 4, column: 7 },
    ]);
  });
});
