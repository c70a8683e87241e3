import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MCP_SERVER } from '../../../support/scripted-mcp';
import { AcpEditor, AnsweredError } from '../../support/acp';
import { eachWithModel } from '../../support/each-with-model';

const COMMAND = `export default (pi: any) => {
  pi.registerCommand('mine', { description: 'of the project', handler: async () => {} });
};
`;

describe('Folders of sessions over ACP', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();

  const prompt = (editor: AcpEditor, sessionId: string, text: string): Promise<{ stopReason: string }> =>
    editor.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  const commandNames = (editor: AcpEditor, sessionId: string): readonly string[] => {
    const last = editor.updates(sessionId).findLast(each => each.sessionUpdate === 'available_commands_update');
    return last?.sessionUpdate === 'available_commands_update' ? last.availableCommands.map(({ name }) => name) : [];
  };

  it('keep their hooks back until /trust, which an untrusted session works without', async () => {
    place.leaveUndecided();
    place.hook('mine.ts', COMMAND);
    const editor = await AcpEditor.open(place, { profile: 'no elicitation' });
    const { sessionId } = await editor.request('session/new', { cwd: place.cwd, mcpServers: [] });
    await editor.update(sessionId, 'notice', ({ title }) => title.includes('not trusted'));
    assert.ok(!commandNames(editor, sessionId).includes('mine'));
    llm.reply({ text: 'works' });
    assert.equal((await prompt(editor, sessionId, 'hi')).stopReason, 'end_turn');
    assert.equal((await prompt(editor, sessionId, '/trust')).stopReason, 'end_turn');
    await editor.until(() => commandNames(editor, sessionId).includes('mine'), 'the command of the hook');
    await editor.end();
  });

  it('are asked about in a form, and have no hooks before the answer', async () => {
    place.leaveUndecided();
    place.hook('mine.ts', COMMAND);
    const editor = await AcpEditor.open(place);
    let trust: (answer: object) => void = () => undefined;
    editor.onElicitation = () => new Promise<object>(resolve => (trust = resolve));
    const { sessionId } = await editor.request('session/new', { cwd: place.cwd, mcpServers: [] });
    await editor.until(() => editor.elicitations.length === 1, 'the form');
    llm.reply({ text: 'works' });
    assert.equal((await prompt(editor, sessionId, 'hi')).stopReason, 'end_turn');
    assert.ok(!commandNames(editor, sessionId).includes('mine'));
    trust({ action: 'accept', content: { answer: 'Trust this folder' } });
    await editor.until(() => commandNames(editor, sessionId).includes('mine'), 'the command of the hook');
    await editor.end();
  });

  it('are said to be untrusted to each of their sessions, and not after /trust', async () => {
    place.leaveUndecided();
    place.hook('mine.ts', COMMAND);
    const editor = await AcpEditor.open(place, { profile: 'no elicitation' });
    const create = async (): Promise<string> =>
      (await editor.request('session/new', { cwd: place.cwd, mcpServers: [] })).sessionId;
    const first = await create();
    const second = await create();
    for (const id of [first, second]) await editor.update(id, 'notice', ({ title }) => title.includes('not trusted'));
    await prompt(editor, second, '/trust');
    const third = await create();
    await editor.update(third, 'available_commands_update');
    llm.reply({ text: 'works' });
    await prompt(editor, third, 'hi');
    assert.doesNotMatch(JSON.stringify(editor.updates(third)), /not trusted/);
    await editor.end();
  });

  it('have each their own hooks in one process', async () => {
    place.hook('mine.ts', COMMAND);
    const other = join(place.file('other/readme.md', ''), '..');
    const editor = await AcpEditor.open(place);
    const first = await editor.request('session/new', { cwd: place.cwd, mcpServers: [] });
    const second = await editor.request('session/new', { cwd: other, mcpServers: [] });
    await editor.update(first.sessionId, 'available_commands_update');
    await editor.update(second.sessionId, 'available_commands_update');
    assert.ok(commandNames(editor, first.sessionId).includes('mine'));
    assert.ok(!commandNames(editor, second.sessionId).includes('mine'));
    await editor.end();
  });

  it('count as the workspace when the editor names them besides', async () => {
    const further = join(place.file('further/readme.md', ''), '..');
    const editor = await AcpEditor.open(place, { args: ['--approve-tools', 'edits'] });
    const { sessionId } = await editor.request('session/new', {
      cwd: place.cwd,
      additionalDirectories: [further],
      mcpServers: [],
    });
    const path = join(further, 'new.txt');
    llm.reply({ toolCalls: [{ name: 'write', arguments: { path, content: 'written' } }] }, { text: 'done' });
    await prompt(editor, sessionId, 'write');
    assert.equal(readFileSync(path, 'utf8'), 'written');
    assert.deepEqual(editor.permissions, []);
    await editor.end();
  });

  it('give a session the servers of its editor', async () => {
    const editor = await AcpEditor.open(place, { args: ['--approve-tools', 'auto'] });
    const scenario = JSON.stringify({ tools: ['ping'], calls: { ping: { text: 'pong' } } });
    const server = { name: 'own', command: process.execPath, args: [MCP_SERVER, scenario], env: [] };
    const { sessionId } = await editor.request('session/new', { cwd: place.cwd, mcpServers: [server] });
    const search = { name: 'tool_search', arguments: { query: 'ping' } };
    const ping = { id: 'the-ping', name: 'mcp__own__ping', arguments: {} };
    llm.reply({ toolCalls: [search] }, { toolCalls: [ping] }, { text: 'done' });
    await prompt(editor, sessionId, 'ping');
    const ended = editor
      .updates(sessionId)
      .findLast(each => each.sessionUpdate === 'tool_call_update' && each.toolCallId === ping.id);
    assert.match(JSON.stringify(ended), /"completed".*pong/);
    const wrong = { type: 'http', name: 'far', url: 'nowhere', headers: [] };
    const refused: unknown = await editor
      .request('session/new', { cwd: place.cwd, mcpServers: [wrong] })
      .catch((error: unknown) => error);
    assert.ok(refused instanceof AnsweredError);
    assert.equal(refused.code, -32_602);
    assert.match(refused.message, /url/);
    await editor.end();
  });

  it('let a session be read that another process writes to, and say so', async () => {
    const first = await AcpEditor.open(place);
    const { sessionId } = await first.request('session/new', { cwd: place.cwd, mcpServers: [] });
    llm.reply({ text: 'an answer' });
    await prompt(first, sessionId, 'a question');
    const second = await AcpEditor.open(place);
    await second.request('session/load', { sessionId, cwd: place.cwd, mcpServers: [] });
    assert.match(second.said(sessionId), /an answer/);
    await second.update(sessionId, 'notice', ({ title }) => title.includes('can only be read'));
    const refused: unknown = await prompt(second, sessionId, 'mine?').catch((error: unknown) => error);
    assert.ok(refused instanceof AnsweredError);
    assert.equal(refused.code, -32_603);
    await second.end();
    await first.end();
  });
});
