import assert from 'node:assert/strict';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

const HANG = '() => new Promise(() => undefined)';

describe('a stop while a handler never answers', function () {
  this.timeout(20_000);
  let rig: Rig | undefined;

  async function open(body: string, script: readonly Script[], options: RigOptions = {}): Promise<Rig> {
    const text = `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
export default function (pi: ExtensionAPI) { ${body} }`;
    rig = await Rig.open(script, { ...options, extensions: { 'x.ts': text } });
    return rig;
  }

  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  it('of input brings the text back to the composer', async () => {
    const opened = await open(`pi.on("input", ${HANG});`, [{ text: 'one' }]);
    const sent = opened.chat.submit('precious words');
    await until(
      () => (opened.chat.status.current.phase.type === 'running' ? true : undefined),
      'a phase that can be stopped',
    );
    await opened.chat.conversation.run.stop();
    await sent;
    assert.equal(opened.chat.composer.text, 'precious words');
    assert.equal(opened.chat.status.current.phase.type, 'idle');
    assert.equal(opened.model.requests.length, 0);
  });

  it('of user_bash ends the command, which never runs', async () => {
    const opened = await open(`pi.on("user_bash", ${HANG});`, []);
    const typed = opened.chat.submit('!echo hi');
    await until(() => opened.items('bash')[0], 'the command');
    await opened.chat.conversation.run.stop();
    await typed;
    assert.deepEqual(
      opened.items('bash').map(({ state, output }) => ({ state, output })),
      [{ state: 'cancelled', output: '' }],
    );
  });

  it('of auto_compaction_start ends', async () => {
    const opened = await open(
      `pi.on("auto_compaction_start", ${HANG});`,
      [{ text: 'x', totalTokens: 990 }, { text: 'summary' }],
      { settings: { compaction: { enabled: true, reserveTokens: 100, keepRecentTokens: 1 } } },
    );
    const sent = opened.chat.submit('first');
    await until(() => (opened.chat.status.current.phase.type === 'compacting' ? true : undefined), 'the compaction');
    await opened.chat.conversation.run.stop();
    await sent;
    assert.equal(opened.chat.status.current.phase.type, 'idle');
    assert.equal(opened.model.requests.length, 1);
  });

  it('by a hook that makes room for a text lets that text through', async () => {
    const opened = await open(`pi.on("input", (e, ctx) => { ctx.abort(); return { action: "continue" }; });`, [
      { text: 'answer' },
    ]);
    await opened.chat.submit('now me');
    assert.equal(opened.chat.composer.text, '');
    assert.equal(opened.model.requests.length, 1);
  });
});
