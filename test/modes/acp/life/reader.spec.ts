import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AcpEditor, type AcpProfile } from '../../support/acp';
import { until } from '../../support/cli';
import { eachWithModel } from '../../support/each-with-model';
import { peakOf } from './peak';

/** 40,000 lines of 76 characters. */
const LINES = Array.from({ length: 40_000 }, (_, index) => `${index}`.padEnd(75, '.')).join('\n');
const PROGRAM = `console.log(Array.from({ length: 40000 }, (_, index) => String(index).padEnd(75, '.')).join('\\n'))`;
/** Much more than the process may keep. */
const MUCH = 200 * 1024 * 1024;
const LIMIT_MB = 500;

describe('An ACP client that does not read for a while', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();
  let editor: AcpEditor;
  let sessionId: string;
  beforeEach(() => place.file('work/lines.cjs', PROGRAM));

  /** Prompts for a command, and reads nothing for a while once it runs. */
  const runUnread = async (profile: AcpProfile, command: string): Promise<string> => {
    editor = await AcpEditor.open(place, { profile, args: ['--approve-tools', 'auto'] });
    sessionId = await editor.create();
    llm.reply({ toolCalls: [{ name: 'bash', arguments: { command: `touch begun; ${command}` } }] }, { text: 'done' });
    const answer = editor.prompt(sessionId, 'go');
    await editor.update(sessionId, 'tool_call');
    editor.read(false);
    await until(() => existsSync(join(place.cwd, 'begun')), 'the command');
    await sleep(500);
    editor.read(true);
    return answer;
  };
  const terminalText = (): string =>
    editor
      .updates(sessionId)
      .map(update => (update._meta?.['terminal_output'] as { readonly data: string } | undefined)?.data ?? '')
      .join('');
  const lastContent = (): string => {
    const ends = editor.updates(sessionId).filter(update => update.sessionUpdate === 'tool_call_update');
    return JSON.stringify(ends.at(-1)?.content);
  };

  it('gets all of the 40,000 lines of a command in its terminal', async () => {
    assert.equal(await runUnread('everything', 'node lines.cjs'), 'end_turn');
    assert.equal(terminalText(), `${LINES}\n`);
    assert.match(editor.said(sessionId), /done$/);
    await editor.end();
  });

  it('gets the end of them without a terminal', async () => {
    assert.equal(await runUnread('no terminal output', 'node lines.cjs'), 'end_turn');
    assert.equal(terminalText(), '');
    assert.match(lastContent(), /39999\.{10}/);
    assert.match(editor.said(sessionId), /done$/);
    await editor.end();
  });

  for (const profile of ['everything', 'no terminal output'] as const) {
    it(`makes the process keep only a part of what a command prints (${profile})`, async function () {
      const stopReason = await runUnread(profile, `yes 0123456789 | head -c ${MUCH}; echo; echo the end`);
      const peak = peakOf(editor.pid);
      if (peak === undefined) return this.skip();
      assert.equal(stopReason, 'end_turn');
      assert.ok(peak < LIMIT_MB, `${peak} MB`);
      if (profile === 'everything') assert.equal(terminalText().length, MUCH + '\nthe end\n'.length);
      else assert.match(lastContent(), /the end/);
      await editor.end();
    });
  }

  it('may never read again: the process ends when stdin does', async () => {
    editor = await AcpEditor.open(place, { args: ['--approve-tools', 'auto'] });
    sessionId = await editor.create();
    const held = llm.hold({ text: Array.from({ length: 20_000 }, () => 'many words ') }, 10_000);
    editor.read(false);
    editor.prompt(sessionId, 'go').catch(() => undefined);
    await held.reached;
    editor.closeStdin();
    await until(async () => (await place.processes()).length === 0, 'the end of the process');
    editor.read(true);
    const { code, stderr } = await editor.gone;
    assert.deepEqual([code, stderr], [0, '']);
  });
});
