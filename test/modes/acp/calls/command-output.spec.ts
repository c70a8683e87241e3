import assert from 'node:assert/strict';
import type { AcpProfile } from '../../support/acp';
import { eachWithModel } from '../../support/each-with-model';
import { OneSession, textIn } from '../support/one-session';

/** Bytes of a tail, at most. */
const TAIL = 16 * 1024;

describe('Commands over ACP', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();

  /** Runs a command as the call `command`, and resolves with its session, whose editor has ended. */
  const run = async (command: string, profile: AcpProfile): Promise<OneSession> => {
    const session = await OneSession.open(place, { profile, args: ['--approve-tools', 'auto'] });
    llm.reply({ toolCalls: [{ id: 'command', name: 'bash', arguments: { command } }] }, { text: 'done' });
    await session.run('go');
    await session.end();
    return session;
  };
  const metas = (session: OneSession, name: string): readonly Record<string, unknown>[] =>
    session.call('command').flatMap(({ _meta }) => (_meta?.[name] ?? []) as Record<string, unknown>[]);
  const printed = (session: OneSession): string =>
    metas(session, 'terminal_output')
      .map(({ data }) => data)
      .join('');
  const exit = (session: OneSession): Record<string, unknown> | undefined => metas(session, 'terminal_exit')[0];

  it('give 40,000 lines to a terminal of the editor exactly, and each byte once', async () => {
    const session = await run("seq -f '%060.0f' 1 40000", 'everything');
    const lines = Array.from({ length: 40_000 }, (_, index) => `${String(index + 1).padStart(60, '0')}\n`).join('');
    assert.ok(printed(session) === lines, 'it is the output of the command');
    const sent = session.call('command').reduce((sum, update) => sum + JSON.stringify(update).length, 0);
    assert.ok(sent <= 1.1 * lines.length, `${sent} bytes for ${lines.length}`);
    assert.deepEqual(exit(session), { terminal_id: 'command', exit_code: 0, signal: null });
    assert.equal(session.shown('command').status, 'completed');
  });

  it('send an editor without terminals ends of bounded size, and then the result', async () => {
    const session = await run("seq -f '%060.0f' 1 40000", 'no terminal output');
    assert.deepEqual(metas(session, 'terminal_output'), []);
    const updates = session.call('command');
    const tails = updates.slice(0, -1);
    for (const tail of tails) assert.ok(textIn(tail).length <= TAIL);
    const result = session.shown('command');
    assert.equal(result.status, 'completed');
    assert.match(textIn(result), /0040000\b/);
    const raw = JSON.stringify(result.rawOutput);
    assert.ok(raw.length < TAIL, 'the output is not sent a second time');
  });

  for (const [what, command, expected] of [
    ['an exit code', 'echo before; exit 7', { exit_code: 7, signal: null }],
    ['a signal', 'echo before; kill -9 $$', { exit_code: null, signal: 'SIGKILL' }],
  ] as const) {
    it(`say that a command ended with ${what}`, async () => {
      const session = await run(command, 'everything');
      assert.equal(printed(session), 'before\n');
      assert.deepEqual(exit(session), { terminal_id: 'command', ...expected });
      assert.equal(session.shown('command').status, 'failed');
    });
  }
});
