import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Chat } from './support/chat';
import { freePort, Inspector, type Stop } from './support/inspector';
import { openWorkbench, waitFor, type Workbench, type WorkbenchWindow } from './support/workbench';

/** A hook whose versions differ in a value that can be seen at the breakpoint, and in the title of a command. */
const hook = (value: string): string => `import { remember } from './lib/zz-memory';

export default (pi: any) => {
  pi.on('tool_call', async (event: { toolName: string; input: object }) => {
    const seen: string = remember(\`${value} \${event.toolName}\`);
    return seen === '' ? { block: true, reason: 'nothing seen' } : undefined;
  });
  pi.registerCommand('zz-debug', {
    description: 'Says its version',
    handler: async (_args: string, ctx: any) => ctx.ui.notify('ran ${value}', 'info'),
  });
};
`;
const APPROVE = 'Hookline: Approve All Hook Changes';
const BREAK_LINE = 6;

describe('Hookline: Debug Hooks', () => {
  const word = `w${Math.random().toString(36).slice(2, 8)}`;
  let workbench: Workbench;
  let debugged: WorkbenchWindow;
  let chat: Chat;
  let file: string;

  before(async () => {
    workbench = await openWorkbench({
      payload: [],
      name: `debug ${word} ü`,
      files: {
        '.pi/hooks/zz-debug.ts': hook(`first-${word}`),
        '.pi/hooks/lib/zz-memory.ts': 'export const remember = (text: string): string => text;\n',
      },
    });
    file = join(workbench.workspace, '.pi', 'hooks', 'zz-debug.ts');
  });

  after(() => workbench.close());

  it('opens a second window from the installed extension', async () => {
    const first = await Chat.open(workbench);
    await first.ask(`think about ${word}`);
    await first.idle();
    await first.chooseMode('Ask');
    await openAt(workbench, 'zz-debug.ts', BREAK_LINE);
    await workbench.page.keyboard.press('F9');
    await workbench.page.locator('.codicon-debug-breakpoint, .codicon-debug-breakpoint-unverified').first().waitFor();
    debugged = await workbench.windowOpenedBy(() => workbench.runCommand('Hookline: Debug Hooks'));
    chat = await Chat.open(debugged);
    assert.doesNotMatch(await chat.text(), new RegExp(word), 'the session of the first window is left alone');
    await waitFor(async () => ((await chat.approvalMode()) === 'ask' ? true : undefined), {
      what: 'the mode of the first window; the setting says another',
    });
    await workbench.screenshot('debug-1-started');
  });

  it('stops at a breakpoint in a hook, on its line', async () => {
    await chat.ask('ls');
    await stopsWith(`first-${word}`);
    await workbench.screenshot('debug-2-first-stop');
    await goOn();
    await chat.idle();
  });

  it('stops there again after an edit and a hot reload', async () => {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replaceAll(`first-${word}`, `second-${word}`));
    await untilRuns(debugged, chat, 'Hookline: /zz-debug — Says its version', `ran second-${word}`);
    await chat.ask('ls');
    await stopsWith(`second-${word}`);
    await workbench.screenshot('debug-3-second-stop');
    await goOn();
    await chat.idle();
    await debugged.screenshot('debug-4-debugged-window');
  });

  /** Waits until the first window shows that it stopped on the line, with this value in sight. */
  async function stopsWith(value: string): Promise<void> {
    const { page } = workbench;
    await page.bringToFront();
    const frame = page.locator('.debug-call-stack .stack-frame', { hasText: 'zz-debug.ts' }).first();
    await frame.waitFor();
    assert.match(await frame.innerText(), new RegExp(`${BREAK_LINE}:\\d+`));
    await page.locator('.debug-top-stack-frame-line').first().waitFor();
    const variables = page.locator('.debug-variables');
    const local = variables.locator('.monaco-list-row', { hasText: /^Local/ }).first();
    await waitFor(
      async () => {
        if ((await variables.innerText()).includes(value)) return true;
        if ((await local.getAttribute('aria-expanded')) === 'false') await local.click();
        return undefined;
      },
      { what: `the value ${value} among the variables` },
    );
  }

  async function goOn(): Promise<void> {
    await workbench.page.keyboard.press('F5');
    await workbench.page.locator('.debug-top-stack-frame-line').first().waitFor({ state: 'detached' });
    await debugged.page.bringToFront();
  }
});

describe('a hook under a debugger without js-debug', () => {
  const word = `w${Math.random().toString(36).slice(2, 8)}`;
  let workbench: Workbench;
  let inspector: Inspector;
  let chat: Chat;
  let file: string;
  let url: string;

  /** May take a second, by the settings below. `more` stands before the line that is stopped at. */
  const slowHook = (
    value: string,
    more = '',
  ): string => `import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';

interface Shape { readonly toolName: string }
export default function (pi: HookAPI) {
  pi.on('tool_result', async (event: Shape) => {${more}
    const text: string = \`${value} \${event.toolName}\`;
    return { content: [{ type: 'text', text }] };
  });
}
`;

  before(async () => {
    const port = await freePort();
    workbench = await openWorkbench({
      name: `inspect ${word} ü`,
      payload: [
        ['inspect-extensions', String(port)],
        ['debugId', 'hookline-test'],
      ],
      files: {
        '.pi/settings.json': JSON.stringify({ hookTimeout: 1000 }),
        '.pi/hooks/zz-slow.ts': slowHook(`first-${word}`),
      },
    });
    file = join(workbench.workspace, '.pi', 'hooks', 'zz-slow.ts');
    url = pathToFileURL(file).href;
    chat = await Chat.open(workbench);
    inspector = await Inspector.connect(port);
    await waitFor(() => (inspector.scripts(url) > 0 ? true : undefined), { what: `the script ${url}` });
  });

  after(async () => {
    await inspector.close();
    await workbench.close();
  });

  /** The file changed right after a tool call, so it may count as the agent's work, which waits for a person. */
  const untilReloaded = (before: number): Promise<true> =>
    waitFor(
      async () => {
        if (inspector.scripts(url) > before) return true;
        await workbench.tryCommand(APPROVE);
        return undefined;
      },
      { what: 'the reload' },
    );
  const stopped = (): Promise<Stop> => waitFor(() => inspector.nextStop(), { what: 'a stop in the hook' });

  it('stops on the right line, and no timeout runs meanwhile', async () => {
    const breakpoint = await inspector.breakAt(url, 7);
    await chat.ask('ls');
    const stop = await stopped();
    assert.deepEqual([stop.file, stop.line], [url, 7]);
    assert.equal(await stop.evaluate('text'), `first-${word} ls`);
    // Three times what the handler may take.
    await new Promise(resolve => setTimeout(resolve, 3000));
    await inspector.resume();
    await chat.idle();
    const card = await chat.tool('ls', 'done');
    await card.locator('.card-line').click();
    await card
      .getByRole('region', { name: 'Output' })
      .filter({ hasText: `first-${word} ls` })
      .waitFor();
    assert.doesNotMatch(await chat.text(), /timed out/);
    await breakpoint.remove();
  });

  it('stops on the right line again after an edit and a hot reload that moved it', async () => {
    const before = inspector.scripts(url);
    writeFileSync(file, `// one line more\n${slowHook(`second-${word}`)}`);
    await untilReloaded(before);
    const breakpoint = await inspector.breakAt(url, 8);
    await chat.ask('ls');
    const stop = await stopped();
    assert.deepEqual([stop.file, stop.line], [url, 8]);
    assert.equal(await stop.evaluate('text'), `second-${word} ls`);
    await inspector.resume();
    await chat.idle();
    await breakpoint.remove();
  });

  it('is late when it takes its time without being stopped', async () => {
    const before = inspector.scripts(url);
    writeFileSync(file, slowHook(`third-${word}`, ' await new Promise(resolve => setTimeout(resolve, 3000));'));
    await untilReloaded(before);
    await chat.ask('ls');
    await chat.says(/timed out/);
    await chat.idle();
  });
});

/** Runs a command of a hook until it says this: which version a window runs, only that window knows. */
async function untilRuns(window: WorkbenchWindow, chat: Chat, title: string, says: string): Promise<void> {
  await waitFor(
    async () => {
      // What changes on disk right after a tool call may count as the agent's work, which waits for a person.
      await window.tryCommand(APPROVE);
      await window.runCommand(title);
      return (await chat.text()).includes(says) ? true : undefined;
    },
    { what: `"${says}"` },
  );
}

/** Opens a file by its name and puts the cursor on a line, as a person does. */
async function openAt(window: WorkbenchWindow, name: string, line: number): Promise<void> {
  await window.openPalette();
  await window.quickInput.type(`${name}:${line}`);
  await window.quickInput.items();
  await window.quickInput.accept();
  await window.page.locator('.tab', { hasText: name }).waitFor();
  await window.page.locator('.monaco-editor.focused').waitFor();
}
