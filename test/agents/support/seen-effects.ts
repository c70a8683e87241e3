import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentId } from '../../../src/guard/protocol/agent-call';

/** What was tried, in the order of the table in docs/guard.md. */
export const TRIED = [
  'a hook blocks a call',
  'a hook asks, and a window answers',
  'a hook asks yes or no, and no window is there',
  'a window that has the folder open decides',
  'a hook changes the command',
  'a text beside the prompt',
  'a text before the call',
  'a text after the call',
  'a hook replaces the result',
  'a hook blocks the prompt',
  'a hook blocks a call of a subagent',
  'no host can be started: a prompt',
  'no host can be started: a call',
  'the host hangs during a call',
  'the host is killed during a call',
  'a repository turns hooks off',
  'the same, with the system scope',
] as const;
export type Tried = (typeof TRIED)[number];

/** What the tests of one agent saw. With `HOOKLINE_TEST_EFFECTS`, `write` gives it to the table in docs/guard.md. */
export class SeenEffects {
  private readonly seen = new Map<Tried, string>();

  note(tried: Tried, seen: string): void {
    this.seen.set(tried, seen);
  }

  /** `order` is the place of the agent in the table. */
  write(id: AgentId | 'copilot-sdk', agent: string, order: number): void {
    const folder = process.env['HOOKLINE_TEST_EFFECTS'];
    if (folder === undefined) return;
    const seen = Object.fromEntries(TRIED.map(tried => [tried, this.seen.get(tried) ?? 'not tried']));
    writeFileSync(join(folder, `${order}-${id}.json`), JSON.stringify({ agent, seen }));
  }
}
