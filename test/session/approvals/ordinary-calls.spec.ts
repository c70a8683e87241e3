import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { Rig, type RigApprovals } from '../../support/conversation-rig';
import { ORDINARY_CALLS, ORDINARY_FILES } from '../../support/ordinary-calls';

describe('a hundred ordinary calls', () => {
  let rig: Rig | undefined;
  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  /** How many of the calls the built-in gate asks about. Each question is denied. */
  async function questions(approvals: RigApprovals): Promise<number> {
    const calls = ORDINARY_CALLS.map(({ name, args }, index) => ({ id: `c${index}`, name, args }));
    const opened = await Rig.open([{ calls }, { text: 'done' }], { files: ORDINARY_FILES, approvals });
    rig = opened;
    const git = (...args: readonly string[]): unknown => execFileSync('git', args, { cwd: opened.cwd });
    git('init', '-q');
    git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-q', '--allow-empty', '-m', 'first');
    let asked = 0;
    opened.dialogs.addView({
      show: (_question, reply) => {
        asked += 1;
        queueMicrotask(() => reply(undefined));
        return { dispose: () => undefined };
      },
    });
    await opened.chat.submit('go');
    assert.equal(opened.items('tool').length, ORDINARY_CALLS.length);
    return asked;
  }

  it('are a hundred', () => assert.equal(ORDINARY_CALLS.length, 100));

  it('lead to 86 questions in Ask when every command is asked about', async () =>
    assert.equal(await questions({ mode: 'ask', plainReading: { enabled: false, asks: [] } }), 86));

  it('lead to 30 questions in Ask, as commands that only read run', async () =>
    assert.equal(await questions({ mode: 'ask' }), 30));
});
