import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LINE_MARK } from '../../scripts/support/mocha-run';
import type { Chat } from '../../src/chat/chat';
import type { HooklineWindow } from '../../src/vscode/window/window';
import { rounds } from '../support/long-run';
import { scripted } from '../support/scripted-mcp';
import { tried } from '../support/tried';
import { footprint, type Footprint } from './support/footprint';
import { hookline, toolsAreOver, until, workspaceFolder } from './support/extension';

const CONVERSATIONS = 8;
const ROUNDS = rounds(4, 10);
/** Turns of each conversation in a round; 2,000 turns in all when it runs at length. */
const TURNS = rounds(2, 25);
/** So much of the heap comes and goes with what the engine compiles and keeps. */
const HEAP_NOISE_MB = 8;
/** So many timers of VS Code may be open at one moment and not at another. */
const HANDLE_NOISE = 2;

const watcher = (version: number): string => `
let calls = 0;
export default pi => {
  pi.on('tool_call', async e => { calls++; return e.input?.command === 'echo forbidden' ? { block: true, reason: 'version ${version}' } : undefined; });
  pi.on('tool_result', async () => undefined);
  pi.registerCommand('soak', { description: 'version ${version}', handler: async (_args, ctx) => ctx.ui.notify(String(calls), 'info') });
};\n`;

describe('a window that is used for long', () => {
  const hook = join(workspaceFolder(), '.pi', 'hooks', 'zz-soak.ts');
  const mcpFile = join(process.env['HOOKLINE_TEST_HOME'] ?? '', '.pi', 'agent', 'mcp.json');
  let window: HooklineWindow;
  let version = 0;

  before(async () => {
    window = await (await hookline()).window.get();
    await toolsAreOver();
    await window.approveHooks();
    mkdirSync(dirname(mcpFile), { recursive: true });
    const server = scripted({ tools: ['echo'], calls: { echo: { text: 'heard' } } });
    writeFileSync(mcpFile, JSON.stringify({ mcpServers: { soak: server } }));
    await window.mcp.reload();
    await window.mcp.ready(undefined);
    await changeHook();
  });

  after(async () => {
    rmSync(mcpFile);
    await window.mcp.reload();
    await closeOthers();
    await toolsAreOver();
    rmSync(hook);
    await until('the hook is gone', () => !window.hooks.infos().some(({ path }) => path === hook));
  });

  async function changeHook(): Promise<void> {
    version++;
    writeFileSync(hook, watcher(version));
    await window.refresh();
    await window.approveHooks();
  }

  /** Ends all conversations but the one that is shown, which begins a new session. */
  async function closeOthers(): Promise<void> {
    const { conversations } = window;
    for (const other of conversations.all) if (other !== conversations.active) await conversations.close(other.id);
    await conversations.active.conversation.sessions.newSession();
  }

  const promptOf = (conversation: number, turn: number): string => {
    const file = `soak-${conversation}.txt`;
    const prompts = [`write ${file}: turn ${turn}`, `read ${file}`, 'call mcp__soak__echo {}', 'run `echo forbidden`'];
    return prompts[turn % prompts.length] ?? '';
  };

  async function turnsOf(chat: Chat, number: number): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) {
      const prompt = promptOf(number, turn);
      await chat.submit(prompt);
      const call = chat.model.items.findLast(item => item.kind === 'tool');
      assert.equal(call?.state.type, prompt.includes('forbidden') ? 'blocked' : 'done', prompt);
      tried();
      if (number === 0 && turn % 5 === 1) await changeHook();
      if (number === 1 && turn % 5 === 1) await window.mcp.restart('soak');
    }
  }

  async function round(): Promise<Footprint> {
    const work: Promise<void>[] = [];
    for (let number = 0; number < CONVERSATIONS; number++) {
      if (number > 0) await window.conversations.openBeside();
      work.push(turnsOf(window.conversations.active, number));
    }
    assert.equal(window.conversations.all.length, CONVERSATIONS);
    await Promise.all(work);
    await closeOthers();
    await window.mcp.ready(undefined);
    await toolsAreOver();
    return footprint([window]);
  }

  it(`holds no more after ${ROUNDS} rounds of ${CONVERSATIONS} conversations than after the first two`, async function () {
    this.timeout(rounds(180_000, 3 * 60 * 60_000));
    const prints: Footprint[] = [];
    for (let number = 0; number < ROUNDS; number++) {
      const print = await round();
      prints.push(print);
      process.stdout.write(`${LINE_MARK}      round ${number + 1}: ${JSON.stringify(print)}\n`);
    }
    const [last] = prints.slice(-1);
    const most = (key: keyof Footprint): number => Math.max(...prints.slice(0, 2).map(print => print[key]));
    assert.ok(last !== undefined);
    assert.ok(last.handles <= most('handles') + HANDLE_NOISE, 'handles');
    assert.ok(last.listeners <= most('listeners'), 'listeners');
    assert.ok(last.processes <= most('processes'), 'processes');
    assert.ok(last.heapMb <= most('heapMb') + HEAP_NOISE_MB, 'heap');
  });
});
