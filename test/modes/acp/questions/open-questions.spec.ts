import assert from 'node:assert/strict';
import { join } from 'node:path';
import { AcpEditor, NO_ANSWER } from '../../support/acp';
import { eachWithModel } from '../../support/each-with-model';
import { choose, OneSession } from '../support/one-session';

const IMPATIENT = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
export default (pi: ExtensionAPI) => {
  pi.on('tool_call', async (_event, ctx) => {
    const isAllowed = await ctx.ui.confirm('Go?', 'now', { timeout: 50 });
    return isAllowed ? undefined : { block: true, reason: 'nobody said yes' };
  });
};
`;

describe('Open questions over ACP', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();

  it('are withdrawn when the hook does not wait any longer, and the call does not run', async () => {
    place.hook('impatient.ts', IMPATIENT);
    const session = await OneSession.open(place, { args: ['--approve-tools', 'auto'] });
    const { editor } = session;
    editor.onPermission = () => NO_ANSWER;
    llm.reply({ toolCalls: [{ id: 'call', name: 'ls', arguments: {} }] }, { text: 'done' });
    await session.run('go');
    assert.deepEqual(
      editor.withdrawn.map(({ method }) => method),
      ['session/request_permission'],
    );
    assert.deepEqual(session.statuses('call'), ['pending', 'failed']);
    assert.match(JSON.stringify(session.shown('call').content), /nobody said yes/);
    await session.end();
  });

  it('of two sessions in a folder and one in another are answered in any order', async () => {
    const other = join(place.file('other/readme.md', ''), '..');
    const editor = await AcpEditor.open(place);
    const answers = new Map<string, () => void>();
    editor.onPermission = asked =>
      new Promise(resolve => answers.set(asked.sessionId, () => resolve(choose(asked, 'allow_once'))));
    const turns: { readonly sessionId: string; readonly answer: Promise<string> }[] = [];
    llm.otherwise(({ body }) => {
      const messages = JSON.stringify(body['messages']);
      return messages.includes('tool_result')
        ? { text: 'done' }
        : { toolCalls: [{ name: 'bash', arguments: { command: 'touch made' } }] };
    });
    for (const cwd of [place.cwd, place.cwd, other]) {
      const sessionId = await editor.create({ cwd });
      turns.push({ sessionId, answer: editor.prompt(sessionId, 'go') });
    }
    await editor.until(() => answers.size === 3, 'a question in each session');
    for (const { sessionId, answer } of turns.toReversed()) {
      answers.get(sessionId)?.();
      assert.equal(await answer, 'end_turn');
      assert.equal(editor.said(sessionId), 'done');
    }
    assert.equal(editor.permissions.length, 3);
    await editor.end();
  });
});
