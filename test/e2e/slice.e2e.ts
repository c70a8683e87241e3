import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from './support/chat';
import { answerOnCard, answerQuestion, openQuestion } from './support/questions';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

const LETTERS = 'abcdefghijklmnopqrstuvwxyzäöüßéñ漢字 ';

/** A word nobody has written into the product, so that nothing can pass by being prepared for it. */
function randomWord(): string {
  const pick = (): string => LETTERS[Math.floor(Math.random() * LETTERS.length)]!;
  return `w${Array.from({ length: 8 }, pick).join('')}z`.replace(/ +/g, ' ');
}

describe('a hooked agent in the side panel', () => {
  let workbench: Workbench;
  let chat: Chat;
  const folder = `play ground ${randomWord()}`;
  const doomed = `build-${randomWord()}`;
  const gate = '.pi/hooks/permission-gate.ts';

  before(async () => {
    workbench = await openWorkbench({ name: folder, files: { [`${doomed}/out.txt`]: 'made' } });
    chat = await Chat.open(workbench);
  });

  after(() => workbench.close());

  it('starts with the demo model, labelled as such', async () => {
    await chat.frame.getByRole('button', { name: /Demo/ }).waitFor();
    await workbench.screenshot('01-empty');
  });

  it('asks before a dangerous command, and No blocks it', async () => {
    await chat.ask(`run \`rm -rf '${doomed}'\``);
    await workbench.quickInput.opened({ withItems: true });
    assert.match(await workbench.quickInput.text(), new RegExp(doomed));
    assert.equal(await workbench.quickInput.activeItem(), undefined, 'Enter typed elsewhere must not answer');
    await workbench.screenshot('02-gate');
    await answerQuestion(workbench, 'No');
    const card = await chat.tool('bash', 'blocked');
    assert.match(await card.innerText(), /Blocked by user/);
    assert.match(await card.innerText(), /permission-gate/);
    await chat.idle();
    await chat.says(/blocked/i);
    assert.ok(existsSync(join(workbench.workspace, doomed, 'out.txt')), 'the folder is untouched');
    await workbench.screenshot('03-blocked');
  });

  it('runs it after Yes', async () => {
    await chat.ask(`run \`rm -rf '${doomed}'\``);
    await answerQuestion(workbench, 'Yes');
    await chat.tool('bash', 'done');
    await chat.idle();
    assert.equal(existsSync(join(workbench.workspace, doomed)), false);
    await workbench.screenshot('04-allowed');
  });

  it('can be answered from the card in the chat as well', async () => {
    await chat.ask('run `sudo true`');
    await workbench.quickInput.opened({ withItems: true });
    await answerOnCard(chat, 'No');
    await workbench.quickInput.closed();
    await chat.tool('bash', 'blocked');
    await chat.idle();
  });

  it('obeys a hook edited on disk with the next tool call', async () => {
    const file = join(workbench.workspace, gate);
    const text = readFileSync(file, 'utf8');
    const reason = `no peeking ${randomWord()}`;
    await untilToolsAreOver();
    writeFileSync(
      file,
      text.replace(
        "if (event.toolName !== 'bash') return undefined;",
        `if (event.toolName === 'ls') return { block: true, reason: ${JSON.stringify(reason)} };\n    if (event.toolName !== 'bash') return undefined;`,
      ),
    );
    assert.notEqual(readFileSync(file, 'utf8'), text);
    await untilBlocked('ls', reason);
    await workbench.screenshot('05-hot-reload');
  });

  it('keeps the last good version at work when the hook is broken, and says where', async () => {
    const file = join(workbench.workspace, gate);
    const good = readFileSync(file, 'utf8');
    const lines = good.split('\n');
    lines.splice(3, 0, 'const = broken;');
    await untilToolsAreOver();
    writeFileSync(file, lines.join('\n'));
    await workbench
      .runCommand('View: Focus Problems (Errors, Warnings, Infos)')
      .catch(() => workbench.runCommand('Problems: Focus on Problems View'));
    const problem = workbench.page.locator('.markers-panel', { hasText: 'permission-gate.ts' });
    await problem.waitFor();
    assert.match(await problem.innerText(), /Ln 4/);
    await workbench.screenshot('06-broken-hook');
    await chat.ask('ls');
    await chat.tool('ls', 'blocked');
    await chat.idle();
    await untilToolsAreOver();
    writeFileSync(file, good);
    await problem.waitFor({ state: 'detached' });
  });

  it('does not load a hook that the agent wrote until the person approves', async () => {
    await chat.ask('write .pi/hooks/planted.ts: export default function () {}');
    // The built-in gate asks about places that code is run from in every mode.
    await openQuestion(workbench);
    assert.match(await workbench.quickInput.title(), /Built-in gate asks about write/);
    await workbench.quickInput.chooseByKeyboard('Allow once');
    await chat.tool('write', 'done');
    await chat.idle();
    await chat.says(/planted\.ts/);
    const hooks = chat.frame.locator('[data-hookline="hooks"]');
    await chat.frame.getByRole('button', { name: 'Approve' }).waitFor();
    assert.match(await hooks.innerText(), /^\s*4 hooks/);
    await workbench.screenshot('10-approve');
    await chat.frame.getByRole('button', { name: 'Reject…' }).waitFor();
    await chat.frame.getByRole('button', { name: 'Show Change' }).click();
    await workbench.page.locator('.tab', { hasText: 'planted.ts: running ↔ waiting for approval' }).waitFor();
    await chat.frame.getByRole('button', { name: 'Approve' }).click();
    await chat.frame.locator('[data-hookline="hooks"]', { hasText: /^\s*5 hooks/ }).waitFor();
  });

  it('shows the same conversation after the page is reloaded', async () => {
    const before = await chat.text();
    await workbench.reload();
    chat = await Chat.open(workbench);
    const after = await chat.text();
    for (const line of [doomed, 'Blocked by user']) {
      assert.ok(before.includes(line) && after.includes(line), `"${line}" before and after`);
    }
    assert.equal((await chat.frame.locator('[data-kind="tool"]').count()) > 0, true);
    await showsWhyItWasBlocked();
    await workbench.screenshot('07-reloaded');
  });

  it('kept everything on disk in pi’s format', () => {
    const sessions = join(workbench.place.home, '.pi', 'agent', 'sessions');
    const [dir] = readdirSync(sessions);
    const [file] = readdirSync(join(sessions, dir!)).filter(name => name.endsWith('.jsonl'));
    const lines = readFileSync(join(sessions, dir!, file!), 'utf8')
      .trimEnd()
      .split('\n');
    const entries = lines.map(
      line => JSON.parse(line) as { type: string; version?: number; message?: { role: string } },
    );
    const [header] = entries;
    assert.deepEqual([header?.type, header?.version], ['session', 3]);
    assert.ok(entries.some(entry => entry.message?.role === 'toolResult'));
  });

  /** The session file tells neither who blocked nor what was asked: it comes from what Hookline keeps beside it. */
  async function showsWhyItWasBlocked(): Promise<void> {
    const card = await chat.tool('bash', 'blocked', 0);
    await chat.openCard(card);
    const text = (await card.innerText()).replace(/\s+/g, ' ');
    assert.match(text, /Blocked by permission-gate\.ts: Blocked by user/);
    assert.match(text, /permission-gate\.ts:\d+ blocked it tool_call · [\d.]+ (?:ms|s|min)/);
    assert.match(text, /It asked you “.+”, and you answered “No”/);
    assert.doesNotMatch(await chat.text(), /not recorded/);
    await card.scrollIntoViewIfNeeded();
  }

  /** What changes on disk within a second of a tool call counts as done by the agent and waits for approval. */
  async function untilToolsAreOver(): Promise<void> {
    await chat.idle();
    await workbench.page.waitForTimeout(2500);
  }

  /** A save is live for the next event: asks until the new rule answers, since the watcher may need a moment. */
  async function untilBlocked(tool: string, reason: string): Promise<void> {
    await workbench.page.waitForTimeout(1000);
    await waitFor(
      async () => {
        await chat.ask(tool);
        await chat.idle();
        const text = await chat.text();
        return text.includes(reason) ? true : undefined;
      },
      { what: `"${reason}" from the edited hook` },
    );
  }
});
