import assert from 'node:assert/strict';
import type { AcpEditor } from '../../support/acp';
import { eachWithModel } from '../../support/each-with-model';
import { choose, OneSession } from '../support/one-session';

describe('Rules for calls over ACP', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();

  /** Runs a command in a turn of its own, whose call has the id. */
  const turn = async (editor: AcpEditor, sessionId: string, id: string, command = 'touch made'): Promise<void> => {
    llm.reply({ toolCalls: [{ id, name: 'bash', arguments: { command } }] }, { text: 'done' });
    assert.equal(await editor.prompt(sessionId, id), 'end_turn');
  };
  const askedCalls = ({ permissions }: AcpEditor): readonly string[] =>
    permissions.map(({ toolCall }) => toolCall.toolCallId);

  it('that always allow a command hold in other sessions and after a restart, for that command only', async () => {
    const first = await OneSession.open(place);
    first.editor.onPermission = asked => choose(asked, 'allow_always', /^Allow always here: exactly this command/);
    await turn(first.editor, first.id, 'asked');
    const sessionId = await first.editor.create();
    await turn(first.editor, sessionId, 'other session');
    assert.deepEqual(askedCalls(first.editor), ['asked']);
    await first.end();

    const second = await OneSession.open(place);
    second.editor.onPermission = asked => choose(asked, 'reject_once');
    await turn(second.editor, second.id, 'after the restart');
    assert.equal(second.shown('after the restart').status, 'completed');
    await turn(second.editor, second.id, 'other command', 'touch other');
    assert.equal(second.shown('other command').status, 'failed');
    assert.deepEqual(askedCalls(second.editor), ['other command']);
    await second.end();
  });

  it('of a session hold neither in another session nor in a copy, nor once the session was closed', async () => {
    const session = await OneSession.open(place);
    const { editor, id } = session;
    const folder = { cwd: place.cwd, mcpServers: [] };
    editor.onPermission = asked => choose(asked, 'allow_always', /^Allow in this session: exactly this command/);
    await turn(editor, id, 'asked');
    await turn(editor, id, 'again');
    assert.deepEqual(askedCalls(editor), ['asked']);

    editor.onPermission = asked => choose(asked, 'reject_once');
    const other = await editor.create();
    await turn(editor, other, 'other session');
    const copy = await editor.request('session/fork', { sessionId: id, ...folder });
    await turn(editor, copy.sessionId, 'copy');
    await editor.request('session/load', { sessionId: id, ...folder });
    await turn(editor, id, 'still open');
    await editor.request('session/close', { sessionId: id });
    await editor.request('session/load', { sessionId: id, ...folder });
    await turn(editor, id, 'closed');
    assert.deepEqual(askedCalls(editor), ['asked', 'other session', 'copy', 'closed']);
    assert.equal(session.shown('closed').status, 'failed');
    await session.end();
  });
});
