import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { Chat } from './support/chat';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

const NOTES = `import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';

/** Greets, and keeps the agent away from the network. */
export default function greeter(pi: HookAPI) {
  // Say hello once.
  pi.on('session', (event, ctx) => {
    if (event.reason === 'start') ctx.ui.notify('Welcome', 'info');
    if (event.reason === 'before_clear') return { cancel: true };
    return undefined;
  });

  pi.on('tool_call', async (event, ctx) => {
    if (event.toolName !== 'bash') return undefined;
    const { code } = await ctx.exec('true', []);
    return code === 0 && String(event.input.command).includes('curl') ? { block: true, reason: 'no network' } : undefined;
  });
}
`;

const CLAUDE = {
  hooks: {
    PreToolUse: [
      {
        matcher: 'Bash',
        hooks: [
          { type: 'command', command: 'grep -q forbidden && { echo "not with this shell hook" >&2; exit 2; }; exit 0' },
        ],
      },
      { matcher: 'mcp__.*', hooks: [{ type: 'command', command: 'true' }] },
    ],
    SubagentStop: [{ hooks: [{ type: 'prompt', prompt: 'x' }] }],
  },
};

describe('making hooks', () => {
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    workbench = await openWorkbench({
      files: {
        '.pi/hooks/greeter.ts': NOTES,
        '.claude/settings.json': JSON.stringify(CLAUDE, null, 2),
      },
    });
    chat = await Chat.open(workbench);
  });
  after(() => workbench.close());

  const file = (name: string): string => join(workbench.workspace, '.pi', 'hooks', name);
  const row = (label: string): Locator =>
    workbench.page.locator('.monaco-list-row[role="treeitem"]', { hasText: label }).first();
  const tab = (label: string): Locator => workbench.page.locator('.tab', { hasText: label });
  /** Runs a command about the hook in the active editor. */
  const about = async (name: string, command: string): Promise<void> => {
    const active = workbench.page.locator('.tab.active', { hasText: name });
    // VS Code drops a click on a row that is being drawn again, as after a save.
    await waitFor(
      async () => {
        await row(name).click();
        await active.waitFor({ timeout: 5_000 }).catch(() => undefined);
        return (await active.count()) > 0 ? true : undefined;
      },
      { what: `the editor of ${name}` },
    );
    await workbench.runCommand(command);
  };
  const take = async (label: string): Promise<void> => {
    await workbench.quickInput.opened({ withItems: true });
    await workbench.quickInput.chooseByKeyboard(label);
  };

  it('offer the conversion of an older hook as a refactoring, for which the demo model is not enough', async () => {
    await workbench.runCommand('Hookline Hooks: Focus on Hooks View');
    await row('greeter.ts').waitFor();
    await row('greeter.ts').click();
    await tab('greeter.ts').first().waitFor();
    const offered = workbench.page.locator('.action-widget .monaco-list-row');
    const action = offered.filter({ hasText: "Convert hook to today's pi extensions" });
    const offer = offered.or(workbench.page.locator('.monaco-editor-overlaymessage', { hasText: 'No refactorings' }));
    // Providers that are slow to wake are not waited for by VS Code's own menu.
    await waitFor(
      async () => {
        await workbench.page.keyboard.press('Escape');
        await workbench.page.locator('.monaco-editor').first().click();
        await workbench.runCommand('Refactor...');
        await offer
          .first()
          .waitFor({ timeout: 5_000 })
          .catch(() => undefined);
        return (await action.count()) > 0 ? true : undefined;
      },
      { what: 'the refactoring' },
    );
    await workbench.screenshot('convert-refactor');
    await action.click();
    await chat.says(/The demo model cannot do this\./);
    assert.equal(readFileSync(file('greeter.ts'), 'utf8'), NOTES);
  });

  it('explain a hook, with links to its lines', async () => {
    await about('greeter.ts', 'Hookline: Explain Hook…');
    const frame = await workbench.frameWith('h1:has-text("greeter.ts")');
    const text = await frame.locator('body').innerText();
    for (const part of [
      'What it sees',
      'block tool calls',
      'cancel the action',
      'processes',
      'What the source code does not show',
    ]) {
      assert.ok(text.includes(part), `${part} in: ${text}`);
    }
    await workbench.screenshot('explain-hook');
    await frame.locator('a', { hasText: 'line 12' }).first().click();
    await waitFor(async () => ((await workbench.statusBar()).some(each => /Ln 12/.test(each)) ? true : undefined), {
      what: 'the cursor on the line of the link',
    });
  });

  it("import Claude Code's shell hooks, which then guard tools and say what they cannot honour", async () => {
    await workbench.runCommand('Hookline: Import Shell Hooks…');
    await workbench.quickInput.opened({ withItems: true });
    const offered = await workbench.quickInput.text();
    assert.match(offered, /2 commands/);
    assert.match(offered, /Not supported: Hookline has no event like "SubagentStop": these hooks never run\./);
    await workbench.screenshot('shell-hooks-1-sources');
    await workbench.quickInput.accept();
    await waitFor(async () => ((await workbench.quickInput.title()).includes('gate crashes') ? true : undefined), {
      what: 'the question about failures',
    });
    await workbench.screenshot('shell-hooks-2-failure');
    await take('Block the call');
    await tab('shell-hooks.ts').waitFor();
    assert.ok(existsSync(file('shell-hooks.ts')));
    await row('shell-hooks.ts').waitFor();
    await waitFor(async () => ((await row('shell-hooks.ts').innerText()).includes('workspace') ? true : undefined), {
      what: 'the adapter in the view',
    });
    await chat.ask('run `echo forbidden`');
    await chat.tool('bash', 'blocked');
    await chat.idle();
    await workbench.runCommand('Hookline: Show Hook Log');
    const log = await workbench.frameWith('[data-hookline="log"][data-ready="true"]');
    await log.locator('.log-row', { hasText: 'shell-hooks.ts' }).first().waitFor();
    await workbench.screenshot('shell-hooks-3-log');
    await workbench.runCommand('Problems: Focus on Problems View');
    // What TypeScript says of the hooks would push the rest out of sight.
    await workbench.page
      .getByPlaceholder(/^Filter \(e\.g\. text/)
      .last()
      .fill('settings.json');
    await workbench.page.locator('.markers-panel', { hasText: 'SubagentStop' }).waitFor();
    await workbench.page.locator('.markers-panel', { hasText: 'mcp__' }).waitFor();
    await workbench.screenshot('shell-hooks-4-problems');
  });

  it('take a saved settings file at once', async () => {
    const settings = join(workbench.workspace, '.claude', 'settings.json');
    const command = 'echo "nothing at all" >&2; exit 2';
    writeFileSync(settings, JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } }));
    await workbench.page
      .locator('.markers-panel', { hasText: 'SubagentStop' })
      .waitFor({ state: 'hidden', timeout: 60_000 });
    await chat.ask('run `echo fine`');
    await chat.tool('bash', 'blocked');
    await chat.idle();
  });
});
