import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator } from 'playwright-core';
import { ScriptedLlm } from '../support/scripted-llm';
import { Chat } from './support/chat';
import { scriptedHome } from './support/scripted-home';
import { assertAccessible } from './support/look';
import { answerOnCard, openCard } from './support/questions';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

function times(text: string, part: string): number {
  return text.split(part).length - 1;
}

describe('reading in the chat', () => {
  let llm: ScriptedLlm;
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    llm = await ScriptedLlm.start();
    workbench = await openWorkbench({ homeFiles: scriptedHome(llm) });
    chat = await Chat.open(workbench);
  });

  after(async () => {
    await workbench.close();
    await llm.stop();
  });

  const press = (key: string): Promise<void> => workbench.page.keyboard.press(key);
  const answer = (): Locator => chat.frame.locator('[data-kind="assistant"]').last();

  /** VS Code throws the page away and makes a new one. */
  async function killPage(): Promise<void> {
    const old = chat.frame;
    await workbench.runCommand('Developer: Reload Webviews');
    await waitFor(() => (old.isDetached() ? true : undefined), { what: 'the end of the old page' });
    chat = await Chat.attach(workbench);
  }

  /** The side bar of the chat is closed, which ends its page. */
  async function hidePage(): Promise<void> {
    const old = chat.frame;
    await workbench.runCommand('View: Toggle Secondary Side Bar Visibility');
    await waitFor(() => (old.isDetached() ? true : undefined), { what: 'the end of the hidden page' });
  }

  describe('when the page is killed', () => {
    it('in the middle of a stream: the answer goes on, nothing lost or doubled', async () => {
      const words = ['First piece. ', 'Second piece. ', 'Third piece.\n\n', 'Fourth piece. ', 'Last piece.'];
      const held = llm.hold({ text: words }, 5);
      await chat.ask('stream please');
      await held.reached;
      await chat.says('Third piece.');
      await chat.composer.fill('half a thought');
      await killPage();
      await chat.says('Third piece.');
      assert.equal(times(await chat.text(), 'First piece.'), 1);
      assert.equal(await chat.composer.inputValue(), 'half a thought');
      await workbench.screenshot('reading-killed-in-stream');
      held.release();
      await chat.idle();
      const text = await answer().innerText();
      for (const word of words) assert.equal(times(text, word.trim()), 1, word);
      await chat.composer.fill('');
    });

    it('and gone while the answer ends: it is there when the page is back', async () => {
      const held = llm.hold({ text: ['While you look. ', 'While you are away.'] }, 3);
      await chat.ask('and now hidden');
      await held.reached;
      await chat.says('While you look.');
      await hidePage();
      held.release();
      chat = await Chat.open(workbench);
      await chat.says('While you are away.');
      await chat.idle();
      assert.equal(times(await chat.text(), 'While you look.'), 1);
    });

    it('in the middle of a gate: the question is there once and can be answered', async () => {
      llm.reply(
        { toolCalls: [{ name: 'bash', arguments: { command: 'rm -rf build' } }] },
        { text: 'Then I leave the folder alone.' },
      );
      await chat.ask('clean up');
      await workbench.quickInput.opened({ withItems: true });
      await openCard(chat).waitFor();
      await killPage();
      await openCard(chat).waitFor();
      assert.equal(await chat.frame.locator('[data-gate]').count(), 1);
      assert.equal(await chat.frame.locator('[data-kind="tool"]').count(), 1);
      await workbench.screenshot('reading-killed-in-gate');
      await answerOnCard(chat, 'No');
      await chat.tool('bash', 'blocked');
      await chat.idle();
      assert.equal(times(await chat.text(), 'Then I leave the folder alone.'), 1);
    });
  });

  describe('markdown', () => {
    it('shows formulas, tables, tasks, pictures and code in VS Code’s real page', async () => {
      llm.reply({ text: SAMPLE });
      await chat.ask('show me everything');
      await chat.idle();
      await answer().locator('math mfrac').first().waitFor();
      assert.equal(await answer().locator('.math-error').count(), 0);
      assert.equal(await answer().getByRole('img', { name: 'a dot' }).count(), 1);
      assert.equal(await answer().locator('td').count(), 4);
      assert.equal(await answer().getByRole('img', { name: 'done', exact: true }).count(), 1);
      assert.equal(await answer().getByRole('img', { name: 'to do', exact: true }).count(), 1);
      assert.ok((await answer().locator('.hljs-keyword').count()) > 0);
      await answer().locator('math').first().scrollIntoViewIfNeeded();
      await workbench.screenshot('reading-markdown');
    });

    it('opens a file at its line, from a link and from inline code', async () => {
      await answer().getByRole('link', { name: 'the greeting' }).click();
      await workbench.page.locator('.tab.active', { hasText: 'greet.js' }).waitFor();
      await workbench.page.locator('.statusbar-item', { hasText: 'Ln 2, Col 1' }).waitFor();
      await answer().getByRole('link', { name: 'notes.txt:1' }).focus();
      await press('Enter');
      await workbench.page.locator('.tab.active', { hasText: 'notes.txt' }).waitFor();
    });

    it('copies code, inserts it at the cursor and opens it as a file', async () => {
      const code = answer().locator('hookline-code').first();
      await code.getByRole('button', { name: 'Open as File' }).click();
      await workbench.page.locator('.tab.active', { hasText: 'Untitled-1' }).waitFor();
      await workbench.page.locator('.statusbar-item', { hasText: 'TypeScript' }).waitFor();
      await code.getByRole('button', { name: 'Insert at Cursor' }).click();
      const lines = workbench.page.locator('.editor-instance .view-lines');
      await waitFor(async () => (times(await lines.innerText(), 'const') === 2 ? true : undefined), {
        what: 'the code twice',
      });
      await code.getByRole('button', { name: 'Copy Code' }).click();
      await code.getByRole('button', { name: 'Copied' }).waitFor();
    });

    it('opens Mermaid code as a diagram in VS Code’s own preview', async () => {
      await answer().getByRole('button', { name: 'Open as Diagram' }).click();
      const preview = await workbench.frameWith('.mermaid svg, svg[id^="mermaid"], .markdown-body svg');
      await preview.locator('svg', { hasText: 'Hook decides' }).first().waitFor();
      await workbench.screenshot('reading-diagram');
      await workbench.runCommand('View: Close All Editors');
      const save = workbench.page
        .getByRole('button', { name: 'Don’t Save' })
        .or(workbench.page.getByRole('button', { name: "Don't Save" }));
      if (await save.isVisible().catch(() => false)) await save.click();
    });
  });

  describe('ways through', () => {
    before(async () => {
      const filler = Array.from({ length: 12 }, (_, index) => `Paragraph ${index} of the long answer.`).join('\n\n');
      for (let index = 0; index < 6; index++) {
        llm.reply({ thinking: index === 0 ? 'a thought about the quokka' : '', text: `Answer ${index}.\n\n${filler}` });
        await chat.ask(index === 2 ? 'Tell me about the Quokka' : `Question ${index}`);
        await chat.says(`Answer ${index}.`);
        await chat.idle();
      }
    });

    const count = (text: string): Promise<void> =>
      chat.frame.locator('[data-hookline="find-count"]', { hasText: text }).waitFor();

    it('finds by keyboard, in folded parts too, and marks what it found', async () => {
      await chat.composer.click();
      await press('Control+f');
      const field = chat.frame.locator('[data-hookline="find"]');
      await field.waitFor();
      await workbench.page.keyboard.type('quokka');
      await count('of 2');
      await press('Enter');
      await count('1 of 2');
      await waitFor(
        async () =>
          (await chat.frame.evaluate<number>('CSS.highlights.get("hookline-find-current")?.size ?? 0')) === 1
            ? true
            : undefined,
        { what: 'a marked place' },
      );
      await chat.frame.locator('details.thinking[open]', { hasText: 'quokka' }).waitFor();
      await workbench.screenshot('reading-find');
      await press('Alt+c');
      await count('1 of 1');
      await workbench.page.keyboard.type('x');
      await count('No results');
      await press('Escape');
      assert.equal(await field.count(), 0);
      await chat.frame.locator('[data-hookline="composer"]:focus').waitFor();
    });

    it('goes from message to message by key, with a ring, and back to the composer', async () => {
      await chat.composer.click();
      await press('Control+ArrowUp');
      await chat.frame.locator('[data-kind="assistant"]:focus', { hasText: 'Answer 5.' }).waitFor();
      await press('Control+ArrowUp');
      await chat.frame.locator('[data-kind="user"]:focus', { hasText: 'Question 5' }).waitFor();
      await workbench.screenshot('reading-message-focus');
      await press('Control+ArrowDown');
      await press('Control+ArrowDown');
      await chat.frame.locator('[data-hookline="composer"]:focus').waitFor();
      await workbench.runCommand('Hookline: Previous Message');
      await chat.frame.locator('[data-kind="assistant"]:focus', { hasText: 'Answer 5.' }).waitFor();
    });

    it('keeps draft and place when the view moves to the panel', async () => {
      await chat.composer.fill('draft on the move');
      const log = chat.frame.locator('[role="log"]');
      await log.hover();
      await workbench.page.mouse.wheel(0, -900);
      await chat.frame.getByRole('button', { name: 'Jump to Latest' }).waitFor();
      const place = await placeInView();
      await workbench.page.waitForTimeout(600); // the place is kept after a rest
      const old = chat.frame;
      await workbench.runCommand('View: Move View');
      await workbench.quickInput.type('Chat');
      await pick(/^\s*Chat/);
      await pick(/New Panel Entry/);
      await waitFor(() => (old.isDetached() ? true : undefined), { what: 'the end of the page in the side bar' });
      chat = await Chat.attach(workbench);
      assert.equal(await chat.composer.inputValue(), 'draft on the move');
      await waitFor(async () => ((await placeInView()) === place ? true : undefined), { what: `"${place}" in view` });
      await workbench.screenshot('reading-panel');
      await workbench.runCommand('View: Reset View Locations');
      chat = await Chat.open(workbench);
      assert.equal(await chat.composer.inputValue(), 'draft on the move');
      await chat.composer.fill('');
    });

    /** Takes an item of the pick that is open. */
    async function pick(label: RegExp): Promise<void> {
      await workbench.quickInput.opened({ withItems: true });
      const item = workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: label }).first();
      await item.click();
    }

    /** The paragraph at the upper edge. */
    async function placeInView(): Promise<string> {
      return chat.frame.evaluate<string>(`(() => {
        const top = document.querySelector('[role="log"]').getBoundingClientRect().top;
        return [...document.querySelectorAll('article p')].find(p => p.getBoundingClientRect().bottom > top)?.textContent ?? '';
      })()`);
    }
  });

  describe('safety', () => {
    let elsewhere: Server;
    let asked = 0;

    before(async () => {
      elsewhere = createServer((_request, response) => {
        asked += 1;
        response.end('');
      });
      await new Promise<void>(resolve => elsewhere.listen(0, '127.0.0.1', resolve));
    });

    after(() => elsewhere.close());

    const address = (): string => `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;

    it('has the strict policy in its head, and what it forbids is refused in VS Code’s page', async () => {
      const policy = await chat.frame.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content');
      assert.match(
        policy ?? '',
        /^default-src 'none'; script-src 'nonce-[\w-]{20,}'; style-src [^;]+; font-src [^;]+; img-src [^;]+ data:; require-trusted-types-for 'script'; trusted-types lit-html dompurify$/,
      );
      assert.doesNotMatch(policy ?? '', /unsafe-|\*(?![.])|https?:(?!\/\/)/);
      const result = await chat.frame.evaluate<Readonly<Record<string, string>>>(probes(address()));
      assert.deepEqual(result, {
        inlineScript: 'refused',
        handler: 'refused',
        javascriptUrl: 'refused',
        eval: 'EvalError',
        function: 'EvalError',
        remoteScript: 'refused',
        image: 'refused',
        fetch: 'refused',
        socket: 'refused',
        frame: 'refused',
        style: 'refused',
        markup: 'TypeError',
      });
      assert.equal(asked, 0, 'requests that went out');
    });

    it('neither runs, nor reaches out, nor hangs with hostile markdown', async () => {
      const evil = `<img src="${address()}/a.png" onerror="window.hacked=1"><script>window.hacked=1</script>`;
      const hostile = [
        evil,
        `![p](${address()}/b.png) [j](javascript:window.hacked=1) [c](command:workbench.action.quit) [d](data:text/html,x)`,
        `<svg onload="window.hacked=1"><a href="javascript:window.hacked=1">x</a></svg>`,
        `<iframe src="${address()}/f"></iframe><style>@import "${address()}/s.css"</style>`,
        'rm\u202e -rf \u2066/\u2069',
        `${'| c '.repeat(100)}|\n${'| - '.repeat(100)}|\n${`${'| x '.repeat(100)}|\n`.repeat(500)}`,
        'L'.repeat(5_000_000),
        '$\\href{javascript:window.hacked=1}{x}$',
        `\`\`\`\nunclosed ${evil}`,
      ];
      llm.reply({ text: hostile.join('\n\n') });
      await chat.ask('be evil');
      await chat.idle();
      await answer().locator('.hidden-character', { hasText: 'U+202E' }).first().waitFor();
      assert.equal(await chat.frame.evaluate<boolean>('"hacked" in window'), false);
      assert.equal(await answer().locator('script, iframe, svg, style, [onerror], [href], img').count(), 0);
      for (const link of await answer().getByText('j', { exact: true }).all()) {
        await link.click().catch(() => undefined);
      }
      assert.equal(asked, 0, 'requests that went out');
      // Still alive: what is typed arrives.
      await chat.composer.fill('still here');
      assert.equal(await chat.composer.inputValue(), 'still here');
      await chat.composer.fill('');
      await workbench.screenshot('reading-hostile');
    });
  });

  describe('belonging', () => {
    const themes = ['Light Modern', 'Dark Modern', 'Light High Contrast', 'Dark High Contrast'];
    for (const theme of themes) {
      it(`has no serious finding of axe in ${theme}`, async () => {
        await workbench.runCommand('Preferences: Color Theme');
        await workbench.quickInput.opened({ withItems: true });
        await workbench.quickInput.type(theme);
        await workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: theme }).first().click();
        await workbench.quickInput.closed();
        chat = await Chat.open(workbench);
        const kind = theme.includes('High')
          ? 'vscode-high-contrast'
          : theme.startsWith('Light')
            ? 'vscode-light'
            : 'vscode-dark';
        await chat.frame.locator(`body.${kind}`).waitFor();
        await workbench.screenshot(`reading-axe-${theme}`);
        await assertAccessible(chat);
      });
    }
  });
});

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const SAMPLE = `The quadratic formula is $x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}$, and it costs $5 or $6:

$$
\\int_0^1 x^2 \\, dx = \\frac{1}{3}
$$

| gate | answer |
|:-----|-------:|
| rm   | No     |
| ls   | Yes    |

- [x] read the code
- [ ] run it

![a dot](data:image/png;base64,${PIXEL})

See [the greeting](src/greet.js#L2) and \`notes.txt:1\`.

\`\`\`ts
const answer: number = 42;
\`\`\`

\`\`\`mermaid
graph TD
  A[Agent wants rm] --> B[Hook decides]
  B --> C[No]
\`\`\`
`;

/** Runs in the page; each probe says how it ended. What a policy refuses is told by an event or an error. */
function probes(address: string): string {
  return `(async () => {
    const after = ms => new Promise(done => setTimeout(done, ms));
    const results = {};
    const outside = (name, code) => new Promise(done => setTimeout(() => {
      try { code(); results[name] = 'ran'; } catch (error) { results[name] = error.name; }
      done();
    }));
    const script = document.createElement('script');
    script.append('window.probeInline = 1');
    document.body.append(script);
    results.inlineScript = window.probeInline === undefined ? 'refused' : 'ran';
    const button = document.createElement('div');
    try { button.setAttribute('onclick', 'window.probeHandler = 1'); } catch { /* refused at once */ }
    button.click();
    results.handler = window.probeHandler === undefined ? 'refused' : 'ran';
    const link = document.createElement('iframe');
    link.src = 'javascript:parent.probeUrl = 1';
    document.body.append(link);
    await outside('eval', () => (0, eval)('1'));
    await outside('function', () => new Function('return 1')());
    const loads = (element, url) => new Promise(done => {
      element.onload = () => done('loaded');
      element.onerror = () => done('refused');
      try { element.src = url; } catch { done('refused'); }
      document.body.append(element);
    });
    results.remoteScript = await loads(document.createElement('script'), '${address}/x.js');
    results.image = await loads(document.createElement('img'), '${address}/x.png');
    results.fetch = await fetch('${address}/f').then(() => 'loaded', () => 'refused');
    results.socket = await new Promise(done => {
      try {
        const socket = new WebSocket('${address}'.replace('http', 'ws'));
        socket.onopen = () => done('loaded');
        socket.onerror = () => done('refused');
      } catch { done('refused'); }
    });
    let violated = '';
    document.addEventListener('securitypolicyviolation', event => (violated += event.violatedDirective + ' '));
    const frame = document.createElement('iframe');
    frame.src = '${address}/frame';
    document.body.append(frame);
    await after(500);
    results.frame = /frame-src/.test(violated) ? 'refused' : 'loaded';
    const styled = document.createElement('p');
    styled.append(document.createElement('b'));
    styled.firstChild.setAttribute('style', 'position: fixed');
    try { styled.firstChild.innerHTML = '<i>x</i>'; results.markup = 'ran'; } catch (error) { results.markup = error.name; }
    document.body.append(styled);
    results.style = getComputedStyle(styled.firstChild).position === 'fixed' ? 'ran' : 'refused';
    results.javascriptUrl = window.probeUrl === undefined ? 'refused' : 'ran';
    for (const one of [script, link, frame, styled, ...document.body.querySelectorAll(':scope > img, :scope > script[src^="http://127"]')]) one.remove();
    return results;
  })()`;
}
