import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ARTIFACTS } from '../../scripts/support/paths.ts';
import type { ChatItem } from '../../src/protocol/chat-item';
import type { HostToWebview, RunStatus } from '../../src/protocol/messages';
import { assistant, COMMANDS, gate, GATE_HOOK, IDLE, RUNNING, snapshot, tool, TOUR, user } from './harness/demo';
import { seriousFindings } from '../support/axe';
import { eachInBrowser } from './harness/each-in-browser';
import type { ChatHarness, Theme } from './harness/harness';

const PICTURES = join(ARTIFACTS, 'webview');

describe('chat page in a browser', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const item = (id: string): Locator => chat.page.locator(`[data-item-id="${id}"]`);
  const composer = (): Locator => chat.page.locator('[data-hookline="composer"]');
  const button = (name: string): Locator => chat.page.getByRole('button', { name, exact: true });
  const press = (key: string): Promise<void> => chat.page.keyboard.press(key);
  const distanceToEnd = (): Promise<number> =>
    chat.page.locator('[role="log"]').evaluate(log => log.scrollHeight - log.scrollTop - log.clientHeight);
  const announced = (): Promise<string> => chat.page.locator('[data-hookline="announcer"]').innerText();

  describe('transport', () => {
    it('asks for the conversation and draws the snapshot', async () => {
      await open(snapshot(TOUR));
      assert.deepEqual(await chat.sentOf('ready'), [{ type: 'ready' }]);
      assert.equal(await chat.page.locator('[data-item-id]').count(), TOUR.length);
      assert.equal(await chat.page.locator('[data-tool="bash"][data-state="blocked"]').count(), 1);
    });

    it('asks for a new snapshot when a change is missing, and shows it', async () => {
      await open(snapshot([user('u', 'one')]));
      await chat.post({ type: 'item', revision: 3, item: user('v', 'lost') });
      assert.equal((await chat.sentOf('ready')).length, 2);
      await chat.post(snapshot([user('u', 'one'), user('v', 'found')], { revision: 3 }));
      assert.equal(await item('v').innerText(), 'found');
    });

    it('drops messages that are none', async () => {
      await open(snapshot([user('u', 'one')]));
      await chat.post({ type: 'item', revision: 1 } as unknown as HostToWebview, null as unknown as HostToWebview);
      await chat.post({ type: 'item', revision: 1, item: user('v', 'two') });
      assert.equal(await item('v').innerText(), 'two');
    });

    it('keeps draft and place over a reload', async () => {
      const long = Array.from({ length: 60 }, (_, index) => user(`u${index}`, `Message ${index}\n`.repeat(4)));
      await open(snapshot(long));
      await composer().fill('half a thought');
      await item('u30').evaluate(element => {
        element.scrollIntoView({ block: 'start' });
      });
      await chat.page.waitForFunction(() => sessionStorage.getItem('state')?.includes('"scroll"'));
      await chat.page.waitForFunction(() =>
        (window as unknown as { inside: { sent: { type: string }[] } }).inside.sent.some(
          ({ type }) => type === 'draft',
        ),
      );
      const before = await item('u30').boundingBox();
      await chat.reload(snapshot(long, { draft: 'half a thought' }));
      assert.equal(await composer().inputValue(), 'half a thought');
      assert.deepEqual(await item('u30').boundingBox(), before);
    });

    it('takes the host’s draft when it changed meanwhile, and lets the host put text', async () => {
      await open(snapshot([]));
      await composer().fill('mine');
      await chat.reload(snapshot([], { draft: 'from a hook' }));
      assert.equal(await composer().inputValue(), 'from a hook');
      await chat.post({ type: 'composer', revision: 1, text: 'all new', mode: 'replace' });
      await composer().evaluate((area: HTMLTextAreaElement) => {
        area.setSelectionRange(3, 3);
      });
      await chat.post(
        { type: 'composer', revision: 2, text: ' is', mode: 'insert' },
        { type: 'focusComposer', revision: 3 },
      );
      assert.equal(await composer().inputValue(), 'all is new');
      assert.equal(await composer().evaluate(area => area === document.activeElement), true);
    });
  });

  describe('reading', () => {
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
      await button('Jump to latest').waitFor();
      await chat.post(delta(2, 'more\n\n'.repeat(20)));
      assert.ok((await distanceToEnd()) > 600);
      await button('Jump to latest').click();
      await chat.post(delta(3, 'and more\n\n'.repeat(20)));
      assert.ok((await distanceToEnd()) < 2);
      assert.equal(await button('Jump to latest').count(), 0);
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

    it('shows bidirectional controls in a command', async () => {
      await open(
        snapshot([
          tool('t', 'bash', 'rm \u202egnp.exe', { type: 'writing' }),
          gate('g', { message: 'rm \u202egnp.exe' }),
        ]),
      );
      for (const id of ['t', 'g']) assert.match(await item(id).innerText(), /rm ⟦U\+202E⟧gnp\.exe/);
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
      await button('Copy code').click();
      await button('Insert at cursor').click();
      await button('Open as file').click();
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

    it('folds thinking, names the demo model and says what failed', async () => {
      await open(snapshot(TOUR));
      assert.equal(await item('a1').getByText('First look, then act').count(), 0);
      await item('a1').getByText('Thought').click();
      await item('a1').getByText('First look, then act').waitFor();
      assert.match(await item('a1').innerText(), /Demo/);
      assert.match(await item('a2').innerText(), /529 overloaded/);
    });
  });

  describe('tools and why', () => {
    it('says each state in words and who blocked what', async () => {
      const started = tool('r', 'bash', 'sleep 9', { type: 'running', startedAt: Date.now() - 65_000 });
      await open(snapshot([...TOUR, started]));
      assert.match(await item('tool:4').innerText(), /Blocked by permission-gate\.ts: Blocked by user/);
      assert.match(await item('tool:3').innerText(), /Failed · 2\.3 s/);
      assert.match(await item('tool:5').innerText(), /Skipped: the run was stopped/);
      assert.match(await item('tool:6').innerText(), /Asking: permission-gate\.ts/);
      assert.match(await item('r').innerText(), /Running 1 min \d+ s/);
    });

    it('lists the verdicts with a way to the line in the hook', async () => {
      await open(snapshot(TOUR));
      await item('tool:4')
        .getByRole('button', { name: /Why did this run\?/ })
        .click();
      const list = item('tool:4').locator('.verdicts');
      assert.match(await list.innerText(), /protected-paths\.ts:7 no decision\s+tool_call · <1 ms/);
      assert.match(await list.innerText(), /permission-gate\.ts:12 blocked it\s+tool_call · 5\.3 s\s+Blocked by user/);
      await list.getByText('permission-gate.ts:12').click();
      assert.deepEqual(await chat.sentOf('openFile'), [{ type: 'openFile', path: GATE_HOOK.path, line: 12 }]);
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
      assert.match(await item('old').innerText(), /Done\s/);
      assert.doesNotMatch(await item('old').innerText(), /ms|·/);
      const why = item('old').getByRole('button', { name: 'Why did this run? not recorded' });
      await why.click();
      await item('old')
        .getByText(/Hookline has no record of which/)
        .waitFor();
      assert.match(await item('stopped').innerText(), /Blocked \(by which hook was not recorded\): Blocked by user/);
      assert.match(await item('guarded').innerText(), /Blocked by Hookline: Blocked: gate\.ts/);
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
      assert.equal(await item('tool:2').locator('.diff-removed').innerText(), '-  return Number(text);');
      await item('tool:2').getByRole('button', { name: 'Show diff' }).click();
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

    it('offers what helps against a failed answer, by keyboard and at 300 px', async () => {
      const failed = assistant('e', '', {
        blocks: [],
        state: 'error',
        error: 'Provider "anthropic" refused the API key (401). To set another one, run Hookline: Set API Key.',
        help: ['setApiKey', 'logIn', 'pickModel', 'retry'],
      });
      await open(snapshot([failed]), { width: 300 });
      const buttons = item('e').locator('.help button');
      assert.deepEqual(await buttons.allInnerTexts(), [
        'Set API Key',
        'Log In',
        'Choose Model',
        'Retry',
        'Copy Details',
      ]);
      const right = await buttons.evaluateAll(all => Math.max(...all.map(each => each.getBoundingClientRect().right)));
      assert.ok(right <= 300, `a button ends at ${right} px`);
      await buttons.nth(3).focus();
      await chat.page.keyboard.press('Enter');
      await chat.page.keyboard.press('Tab');
      await chat.page.keyboard.press('Enter');
      assert.deepEqual((await chat.sent()).slice(1), [
        { type: 'help', id: 'e', help: 'retry' },
        { type: 'copy', text: failed.error },
      ]);
      mkdirSync(ARTIFACTS, { recursive: true });
      await chat.page.screenshot({ path: join(ARTIFACTS, 'error-help-300.png') });
    });

    it('keeps what was unfolded by hand when the item changes', async () => {
      await open(snapshot([tool('t', 'ls', '.', { type: 'writing' })]));
      await item('t').getByRole('button', { name: 'Arguments' }).click();
      await chat.post({ type: 'toolState', revision: 1, id: 't', state: { type: 'done', durationMs: 2 } });
      await item('t').locator('.panel-arguments').getByText('"command"').waitFor();
    });

    it('offers the step a notice names, and its place', async () => {
      await open(snapshot(TOUR));
      await button('Set API key').click();
      await item('n2').getByText('permission-gate.ts:4:7').click();
      await item('n2').getByText('Details').click();
      await item('n2').getByText('SyntaxError').waitFor();
      assert.deepEqual((await chat.sent()).slice(1), [
        { type: 'notice', id: 'n3' },
        { type: 'openFile', path: GATE_HOOK.path, line: 4, column: 7 },
      ]);
    });
  });

  describe('gates', () => {
    const asked: HostToWebview = { type: 'item', revision: 1, item: gate('g', { toolItem: 'tool:6' }) };
    const focusedLabel = (): Promise<string | null> =>
      chat.page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);
    const pressUntilAnswered = async (key: string): Promise<void> => {
      for (let tries = 0; tries < 100 && (await chat.sentOf('answer')).length === 0; tries++) {
        await press(key);
        await chat.page.waitForTimeout(20);
      }
    };

    it('asks without taking the focus, is announced, and is reached by Tab', async () => {
      await open(snapshot([tool('tool:6', 'bash', 'rm -rf build', { type: 'asking', hook: GATE_HOOK })]));
      await composer().click();
      await chat.post(asked);
      await chat.page.keyboard.type('still typing');
      assert.equal(await composer().inputValue(), 'still typing');
      assert.match(await announced(), /permission-gate\.ts asks: Dangerous command/);
      assert.match(await item('g').innerText(), /about\s+bash rm -rf build/);
      for (let step = 0; step < 6 && (await focusedLabel()) !== 'No'; step++) await press('Shift+Tab');
      assert.equal(await focusedLabel(), 'No');
      await pressUntilAnswered('Enter');
      // A key may come twice before its answer is seen here.
      assert.deepEqual((await chat.sentOf('answer'))[0], { type: 'answer', id: 'g', answer: false });
    });

    it('starts on No; a key of the first moment does not count, and arrow keys go to Yes', async () => {
      await open(snapshot([]));
      // The clock of the page stands still, so that the first moment lasts until the test says so.
      await chat.page.evaluate(() => {
        const now = Date.now();
        Date.now = () => now;
      });
      await chat.post({ type: 'item', revision: 1, item: gate('g') });
      await item('g').getByRole('button', { name: 'Yes' }).focus();
      await press('Enter');
      await press('Space');
      assert.deepEqual(await chat.sentOf('answer'), []);
      await chat.page.evaluate(() => {
        const later = Date.now() + 400;
        Date.now = () => later;
      });
      await composer().focus();
      for (let step = 0; step < 6 && (await focusedLabel()) !== 'No'; step++) await press('Shift+Tab');
      assert.equal(await focusedLabel(), 'No');
      await press('ArrowLeft');
      assert.equal(await focusedLabel(), 'Yes');
      await press('Enter');
      assert.deepEqual(await chat.sentOf('answer'), [{ type: 'answer', id: 'g', answer: true }]);
    });

    it('of a select lets Tab go to its one plain refusal, and to all choices where there is none', async () => {
      await open(
        snapshot([
          gate('s', { dialog: { type: 'select', options: ['Allow once', 'Always', 'Deny'] } }),
          gate('n', { dialog: { type: 'select', options: ['Tabs', 'Blanks'] } }),
        ]),
      );
      const inTabOrder = (id: string): Promise<string[]> =>
        item(id).locator('.choices button:not([tabindex="-1"])').allInnerTexts();
      assert.deepEqual(await inTabOrder('s'), ['Deny', 'Cancel']);
      assert.deepEqual(await inTabOrder('n'), ['Tabs', 'Blanks', 'Cancel']);
    });

    it('of a select that has its own Cancel stands once', async () => {
      await open(snapshot([gate('g', { dialog: { type: 'select', options: ['Keep the rule', 'Cancel'] } })]));
      assert.deepEqual(await item('g').locator('.choices button').allInnerTexts(), ['Keep the rule', 'Cancel']);
      await item('g').getByRole('button', { name: 'Cancel' }).click();
      assert.deepEqual(await chat.sentOf('answer'), [{ type: 'answer', id: 'g', answer: 'Cancel' }]);
    });

    it('answers once, and shows what the host says', async () => {
      await open(snapshot([gate('g')]));
      await item('g').getByRole('button', { name: 'Yes' }).click();
      assert.equal(await item('g').getByRole('button', { name: 'Yes' }).count(), 0);
      await chat.post({ type: 'item', revision: 1, item: gate('g', { state: { type: 'answered', answer: 'Yes' } }) });
      assert.match(await item('g').innerText(), /Answered: Yes/);
      assert.equal(await item('g').getAttribute('data-state'), 'answered');
      assert.equal((await chat.sentOf('answer')).length, 1);
    });

    it('cancels with Escape, which does not stop the run', async () => {
      await open(snapshot([gate('g', { dialog: { type: 'input', placeholder: 'name' } })], { status: RUNNING }));
      await item('g').getByRole('textbox').focus();
      await press('Escape');
      assert.deepEqual(await chat.sentOf('answer'), [{ type: 'answer', id: 'g' }]);
      assert.deepEqual(await chat.sentOf('stop'), []);
    });

    it('takes a choice, a line and a text', async () => {
      await open(
        snapshot([
          gate('s', { dialog: { type: 'select', options: ['Allow once', 'Always', 'Deny'] } }),
          gate('i', { dialog: { type: 'input', placeholder: 'reason' } }),
          gate('e', { dialog: { type: 'editor', prefill: 'line one' } }),
          gate('q', { state: { type: 'queued' } }),
          gate('c', { state: { type: 'cancelled' } }),
        ]),
      );
      await item('s').getByRole('button', { name: 'Always' }).click();
      await item('i').getByRole('textbox').fill('because');
      await press('Enter');
      await item('e').getByRole('textbox').press('End');
      await chat.page.keyboard.type('\nline two');
      await press('Control+Enter');
      assert.deepEqual(
        (await chat.sentOf('answer')).map(({ id, answer }) => [id, answer]),
        [
          ['s', 'Always'],
          ['i', 'because'],
          ['e', 'line one\nline two'],
        ],
      );
      assert.match(await item('q').innerText(), /Waits until another question is answered/);
      assert.match(await item('c').innerText(), /Cancelled/);
      assert.equal(await item('q').getByRole('button', { name: 'Yes' }).count(), 0);
    });

    it('points to a question that is out of sight', async () => {
      const long = Array.from({ length: 40 }, (_, index) => user(`u${index}`, 'text\n'.repeat(5)));
      await open(snapshot([gate('g'), ...long]));
      await button('Go to the question').click();
      assert.equal(await chat.page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'No');
      await button('Go to the question').waitFor({ state: 'detached' });
    });

    it('stands as one line in the card of its tool once it is over, and the keyboard with it', async () => {
      const call = tool('tool:6', 'bash', 'rm -rf build', { type: 'asking', hook: GATE_HOOK });
      await open(snapshot([call, gate('g', { toolItem: 'tool:6' }), gate('other', { state: { type: 'queued' } })]));
      await item('g').getByRole('button', { name: 'No' }).focus();
      const over = gate('g', { toolItem: 'tool:6', state: { type: 'answered', answer: 'No' } });
      await chat.post({ type: 'item', revision: 1, item: over });
      await item('g').waitFor({ state: 'detached' });
      const blocked = { type: 'blocked', by: GATE_HOOK, reason: 'Blocked by user' } as const;
      await chat.post({ type: 'item', revision: 2, item: { ...call, state: blocked, output: 'Blocked by user' } });
      await item('tool:6').getByText('Blocked by permission-gate.ts').waitFor();
      const lines = item('tool:6').locator('.answered li');
      assert.equal(await lines.count(), 1);
      assert.match(await lines.innerText(), /permission-gate\.ts: Dangerous command\. Allow it\? rm -rf build\s+No/);
      const box = await lines.boundingBox();
      assert.ok((box?.height ?? 99) < 30, 'it is one line');
      assert.equal((await item('tool:6').innerText()).split('Blocked by user').length, 2, 'the reason stands once');
      assert.equal(await chat.page.evaluate(() => document.activeElement?.getAttribute('data-item-id')), 'tool:6');
      assert.equal(await item('other').count(), 1);
    });

    it('keeps what is asked and its buttons in view in a low panel, while the text scrolls', async () => {
      const options = ['Allow once', 'Allow in this session: exactly this command', 'Allow always here…', 'Deny'];
      const message = 'echo one\n'.repeat(200);
      const asks = gate('g', { message, title: 'Run this command?', dialog: { type: 'select', options } });
      await open(snapshot([user('u', 'text\n'.repeat(30)), asks]));
      await chat.page.setViewportSize({ width: 300, height: 460 });
      await chat.page.waitForTimeout(100); // the list keeps to its end
      const card = item('g').locator('.gate');
      const log = await chat.page.getByRole('log').boundingBox();
      const seen = async (part: Locator): Promise<boolean> => {
        const box = await part.boundingBox();
        return box !== null && log !== null && box.y >= log.y - 1 && box.y + box.height <= log.y + log.height + 1;
      };
      for (const part of [card.locator('.gate-title'), ...(await card.getByRole('button').all())]) {
        assert.ok(await seen(part), await part.innerText());
      }
      assert.ok(await card.locator('.gate-message').evaluate(text => text.scrollHeight > text.clientHeight));
    });

    it('shows a very long question whole, in its own scroller', async () => {
      const message = `${'long '.repeat(3000)}END`;
      await open(snapshot([gate('g', { message })]));
      assert.ok((await item('g').innerText()).includes('END'));
      const box = await item('g').boundingBox();
      assert.ok((box?.height ?? 0) < 600);
    });
  });

  describe('composer', () => {
    it('sends with Enter, breaks lines with Shift+Enter, and grows', async () => {
      await open(snapshot([]));
      await composer().click();
      const before = await composer().boundingBox();
      await chat.page.keyboard.type('one');
      await press('Shift+Enter');
      await chat.page.keyboard.type('two');
      assert.ok(((await composer().boundingBox())?.height ?? 0) > (before?.height ?? 0) + 10);
      await press('Enter');
      assert.deepEqual(await chat.sentOf('submit'), [
        { type: 'submit', text: 'one\ntwo', delivery: 'steer', images: [], conversation: 'demo' },
      ]);
      assert.equal(await composer().inputValue(), '');
      await press('Enter');
      assert.equal((await chat.sentOf('submit')).length, 1);
    });

    it('steers with Enter, queues with Alt+Enter and stops with Escape or the button', async () => {
      await open(snapshot([], { status: RUNNING }));
      await composer().fill('now');
      await press('Enter');
      await composer().fill('later');
      await press('Alt+Enter');
      assert.deepEqual(
        (await chat.sentOf('submit')).map(({ text, delivery }) => [text, delivery]),
        [
          ['now', 'steer'],
          ['later', 'followUp'],
        ],
      );
      await chat.page.getByText('steers the run').waitFor();
      await press('Escape');
      await button('Stop').click();
      assert.equal((await chat.sentOf('stop')).length, 2);
      await chat.post({ type: 'status', revision: 1, status: IDLE });
      assert.equal(await button('Stop').count(), 0);
      await composer().press('Escape');
      assert.equal((await chat.sentOf('stop')).length, 2);
    });

    it('does not send while an input method composes', async () => {
      await open(snapshot([]));
      await composer().fill('に');
      await composer().evaluate(area => {
        area.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true }),
        );
        area.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true }),
        );
      });
      assert.deepEqual(await chat.sentOf('submit'), []);
    });

    it('completes commands by keyboard', async () => {
      await open(snapshot([], { status: RUNNING }));
      await composer().click();
      await chat.page.keyboard.type('/');
      assert.equal(await chat.page.locator('[role="option"]').count(), COMMANDS.length);
      await press('ArrowDown');
      const active = await composer().getAttribute('aria-activedescendant');
      assert.equal(await chat.page.locator(`#${active ?? ''}`).getAttribute('aria-selected'), 'true');
      await chat.page.keyboard.type('mo');
      assert.deepEqual(await chat.page.locator('[role="option"]').allInnerTexts(), ['/model\nPick the model']);
      await press('Escape');
      assert.equal(await chat.page.getByRole('listbox').count(), 0);
      assert.deepEqual(await chat.sentOf('stop'), [], 'Escape closed the list only');
      await chat.page.keyboard.type('d');
      await press('Tab');
      assert.equal(await composer().inputValue(), '/model ');
      await composer().fill('/new');
      await press('Enter');
      assert.equal((await chat.sentOf('submit'))[0]?.text, '/new');
    });

    it('walks the sent messages with the arrows and comes back to the draft', async () => {
      await open(snapshot([user('1', 'first'), user('2', 'second\nline')]));
      await composer().click();
      await chat.page.keyboard.type('draft');
      await press('ArrowUp');
      assert.equal(await composer().inputValue(), 'second\nline');
      await press('ArrowUp');
      assert.equal(await composer().inputValue(), 'first');
      await press('ArrowDown');
      await press('ArrowDown');
      await press('ArrowDown');
      assert.equal(await composer().inputValue(), 'draft');
    });

    it('takes back what was not sent, its images before those attached since', async () => {
      await open(snapshot([]));
      const image = (data: string) => ({ type: 'image' as const, mimeType: 'image/png', data });
      await chat.post(
        { type: 'composer', revision: 1, text: 'later', mode: 'replace', images: [image('BAUG')] },
        { type: 'composer', revision: 2, text: 'look', mode: 'replace', images: [image('AQID')] },
        { type: 'composer', revision: 3, text: ' here', mode: 'insert' },
      );
      await button('Remove image 2').waitFor();
      await composer().press('Enter');
      assert.deepEqual(await chat.sentOf('submit'), [
        {
          type: 'submit',
          text: 'look here',
          delivery: 'steer',
          images: [image('AQID'), image('BAUG')],
          conversation: 'demo',
        },
      ]);
    });

    it('attaches pasted images and names those it cannot take', async () => {
      await open(snapshot([]));
      await composer().evaluate(area => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array([1, 2, 3])], 'small.png', { type: 'image/png' }));
        data.items.add(new File([new Uint8Array(6 * 1024 * 1024)], 'huge.png', { type: 'image/png' }));
        data.items.add(new File(['x'], 'notes.pdf', { type: 'application/pdf' }));
        area.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
      });
      const alert = chat.page.getByRole('alert');
      assert.match(
        await alert.innerText(),
        /huge\.png is 6\.0 MB; images of up to 5 MB.*notes\.pdf cannot be attached/,
      );
      await button('Remove image 1').waitFor();
      await button('Send').click();
      assert.deepEqual(await chat.sentOf('submit'), [
        {
          type: 'submit',
          text: '',
          delivery: 'steer',
          images: [{ type: 'image', mimeType: 'image/png', data: 'AQID' }],
          conversation: 'demo',
        },
      ]);
      assert.equal(await button('Remove image 1').count(), 0);
    });

    it('says why nothing can be sent, and keeps the text', async () => {
      await open(snapshot([], { status: { ...IDLE, blocked: 'No folder is open.' } }));
      await composer().fill('hello');
      await press('Enter');
      assert.match(await chat.page.getByRole('alert').innerText(), /Not sent: No folder is open\./);
      assert.deepEqual(await chat.sentOf('submit'), []);
      assert.equal(await composer().inputValue(), 'hello');
    });

    it('fills a sample into the empty page’s composer without sending it', async () => {
      await open(snapshot([]));
      await button('Use sample: read README.md').click();
      assert.equal(await composer().inputValue(), 'read README.md');
      assert.deepEqual(await chat.sentOf('submit'), []);
      await chat.post({ type: 'item', revision: 1, item: user('u', 'x') });
      assert.equal(await chat.page.getByText('Try one of these').count(), 0);
    });
  });

  describe('header and status', () => {
    it('offers hooks, model and thinking level, and shows context and cost', async () => {
      await open(snapshot([]));
      await chat.page.locator('[data-hookline="hooks"]').click();
      await button('Pick model: Demo (offline)').click();
      await chat.page.getByLabel('Thinking level').selectOption('high');
      assert.deepEqual((await chat.sent()).slice(1), [
        { type: 'showHooks' },
        { type: 'pickModel' },
        { type: 'setThinkingLevel', level: 'high' },
      ]);
      assert.match(await chat.page.locator('[data-hookline="context"]').innerText(), /~12\.3k\/200k/);
      assert.equal(await chat.page.locator('[data-hookline="cost"]').innerText(), '$0.0123');
      const hooks = { live: 3, broken: 1, heldBack: 2, waiting: 1 };
      await chat.post({ type: 'status', revision: 1, status: { ...IDLE, hooks, hookStatus: ['watching'] } });
      assert.match(
        await chat.page.locator('[data-hookline="hooks"]').innerText(),
        /3 hooks, 1 broken, 2 held back, 1 waiting for approval/,
      );
      assert.equal(await chat.page.locator('[data-hookline="activity"]').innerText(), 'watching');
    });

    it('draws the row of the working agent as a hook wishes, and its name for folded thoughts', async () => {
      const phase = { type: 'running', message: 'Baking' } as const;
      const show = (revision: number, more: Partial<RunStatus>) =>
        chat.post({ type: 'status', revision, status: { ...IDLE, phase, ...more } });
      const thought: ChatItem = {
        kind: 'assistant',
        id: 'a',
        model: 'M',
        state: 'done',
        blocks: [{ type: 'thinking', text: 'hm' }],
      };
      await open(snapshot([thought], { status: { ...IDLE, phase } }));
      await chat.page.emulateMedia({ reducedMotion: 'no-preference' });
      const activity = chat.page.locator('[data-hookline="activity"]');
      const summary = item('a').locator('summary');
      assert.equal(await summary.innerText(), 'Thought');
      await show(1, {
        indicator: { hidden: false, frames: ['one', 'two'], intervalMs: 50 },
        thinkingLabel: 'Pondering',
      });
      assert.equal(await summary.innerText(), 'Pondering');
      for (const frame of ['one', 'two']) await activity.getByText(`${frame} Baking`).waitFor();
      await show(2, { indicator: { hidden: false, frames: [], intervalMs: 50 } });
      assert.deepEqual([await activity.innerText(), await summary.innerText()], ['Baking', 'Thought']);
      await show(3, { indicator: { hidden: true, intervalMs: 0 } });
      assert.equal(await activity.innerText(), '');
    });

    it('shows what context and cost are made of, on hover and in a panel of its own', async () => {
      const cost = { input: 0.5, output: 1.25, cacheRead: 0.05, cacheWrite: 0, total: 1.8 };
      const usage = { input: 120_000, output: 4_000, cacheRead: 90_000, cacheWrite: 500, cost, answers: 12 };
      const context = { tokens: 50_000, window: 200_000, estimated: false, compactsAt: 180_000 };
      const status = { ...IDLE, context, cost: 1.8, usage: { ...usage, estimated: false, partial: false } };
      await open(snapshot([], { status }));
      const meter = chat.page.locator('[data-hookline="usage"]');
      const panel = chat.page.getByRole('dialog', { name: 'Context and cost' });
      assert.match(
        (await meter.getAttribute('title'))!,
        /^Context: 50k\/200k tokens \(25 %\)\nSummarized automatically at 180k tokens\nInput: 120k, \$0\.50\n/,
      );
      assert.equal(await panel.isVisible(), false);
      await meter.focus();
      await chat.page.keyboard.press('Enter');
      assert.equal(await panel.isVisible(), true);
      const rows = await panel.locator('tbody tr').allInnerTexts();
      assert.deepEqual(
        rows.map(row => row.split(/\s*\t\s*/)),
        [
          ['Input', '120k', '$0.50'],
          ['Output', '4k', '$1.25'],
          ['Read from cache', '90k', '$0.0500'],
          ['Written to cache', '500', '$0.0000'],
          ['Total', '215k', '$1.80'],
        ],
      );
      await chat.page.keyboard.press('Escape');
      assert.equal(await panel.isVisible(), false);
      assert.deepEqual(await chat.sentOf('stop'), [], 'Escape closes the panel and nothing else');
      const guessed = { ...usage, cost: { ...cost, total: 0 }, estimated: true, partial: true };
      const free = { ...IDLE, cost: undefined, context };
      await chat.post({ type: 'status', revision: 1, status: { ...free, usage: guessed } });
      await meter.click();
      assert.match(await panel.innerText(), /~120k.*~215k.*is an estimate.*Earlier answers/s);
      assert.doesNotMatch(await panel.innerText(), /\$/);
    });

    it('counts down to a retry', async () => {
      const phase = {
        type: 'retrying',
        attempt: 2,
        maxAttempts: 3,
        at: Date.now() + 30_000,
        error: 'overloaded',
      } as const;
      await open(snapshot([], { status: { ...IDLE, phase } }));
      assert.match(
        await chat.page.locator('[data-hookline="activity"]').innerText(),
        /Retry 2 of 3 in \d+ s:\s+overloaded/,
      );
    });
  });

  describe('belonging', () => {
    for (const theme of ['dark', 'light', 'hc-dark', 'hc-light'] satisfies Theme[]) {
      it(`has no serious finding of axe in ${theme}`, async () => {
        await open(snapshot(TOUR, { status: RUNNING }), { theme });
        await item('tool:4').getByRole('button', { name: /Why/ }).click();
        await composer().fill('/');
        mkdirSync(PICTURES, { recursive: true });
        await chat.page.screenshot({ path: join(PICTURES, `${theme}.png`) });
        assert.deepEqual(await seriousFindings(chat.page), []);
      });
    }

    for (const theme of ['dark', 'light', 'hc-dark', 'hc-light'] satisfies Theme[]) {
      it(`shows added lines of a diff in green and removed ones in red in ${theme}`, async () => {
        await open(snapshot([assistant('a', '```diff\n+one\n-two\n```')]), { theme });
        await item('a').locator('.hljs-addition').waitFor();
        const rgbOf = (selector: string): Promise<number[]> =>
          item('a')
            .locator(selector)
            .evaluate(line => {
              const context = document.createElement('canvas').getContext('2d');
              if (context === null) return [];
              context.fillStyle = getComputedStyle(line).color;
              context.fillRect(0, 0, 1, 1);
              return [...context.getImageData(0, 0, 1, 1).data];
            });
        const [addedRed = 0, addedGreen = 0, addedBlue = 0] = await rgbOf('.hljs-addition');
        const [red = 0, green = 0, blue = 0] = await rgbOf('.hljs-deletion');
        assert.ok(addedGreen > addedRed + 20 && addedGreen > addedBlue + 20, `${addedRed} ${addedGreen} ${addedBlue}`);
        assert.ok(red > green + 20 && red > blue + 20, `${red} ${green} ${blue}`);
      });
    }

    for (const width of [240, 320]) {
      it(`fits into ${width} px`, async () => {
        await open(snapshot(TOUR, { status: RUNNING }), { width });
        const wide = await chat.page.evaluate(() => {
          const limit = document.documentElement.clientWidth;
          const inScroller = (element: Element): boolean =>
            element.closest('pre, .table, .chip, .sr-only, .detail') !== null;
          return [...document.querySelectorAll('[data-hookline="chat"] *')]
            .filter(element => !inScroller(element) && element.getBoundingClientRect().right > limit + 1)
            .map(element => element.outerHTML.slice(0, 120));
        });
        assert.deepEqual(wide, []);
        mkdirSync(PICTURES, { recursive: true });
        await chat.page.screenshot({ path: join(PICTURES, `${width}px.png`) });
      });
    }
  });
});
