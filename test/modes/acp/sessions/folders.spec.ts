import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AcpEditor, refusal } from '../../support/acp';
import { eachWithModel } from '../../support/each-with-model';

const COMMAND = `export default (pi: any) => {
  pi.registerCommand('mine', { description: 'of the project', handler: async () => {} });
};
`;

describe('Folders of sessions over ACP', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();

  const commandNames = (editor: AcpEditor, sessionId: string): readonly string[] => {
    const last = editor.updates(sessionId).findLast(each => each.sessionUpdate === 'available_commands_update');
    return last?.sessionUpdate === 'available_commands_update' ? last.availableCommands.map(({ name }) => name) : [];
  };

  it('keep their hooks back until /trust, which an untrusted session works without', async () => {
    place.leaveUndecided();
    place.hook('mine.ts', COMMAND);
    const editor = await AcpEditor.open(place, { profile: 'no elicitation' });
    const sessionId = await editor.create();
    await editor.update(sessionId, 'notice', ({ title }) => title.includes('not trusted'));
    assert.ok(!commandNames(editor, sessionId).includes('mine'));
    llm.reply({ text: 'works' });
    assert.equal(await editor.prompt(sessionId, 'hi'), 'end_turn');
    assert.equal(await editor.prompt(sessionId, '/trust'), 'end_turn');
    await editor.until(() => commandNames(editor, sessionId).includes('mine'), 'the command of the hook');
    await editor.end();
  });

  it('are asked about in a form, and have no hooks before the answer', async () => {
    place.leaveUndecided();
    place.hook('mine.ts', COMMAND);
    const editor = await AcpEditor.open(place);
    let trust: (answer: object) => void = () => undefined;
    editor.onElicitation = () => new Promise<object>(resolve => (trust = resolve));
    const sessionId = await editor.create();
    await editor.until(() => editor.elicitations.length === 1, 'the form');
    llm.reply({ text: 'works' });
    assert.equal(await editor.prompt(sessionId, 'hi'), 'end_turn');
    assert.ok(!commandNames(editor, sessionId).includes('mine'));
    trust({ action: 'accept', content: { answer: 'Trust this folder' } });
    await editor.until(() => commandNames(editor, sessionId).includes('mine'), 'the command of the hook');
    await editor.end();
  });

  it('are said to be untrusted to each of their sessions, and not after /trust', async () => {
    place.leaveUndecided();
    place.hook('mine.ts', COMMAND);
    const editor = await AcpEditor.open(place, { profile: 'no elicitation' });
    const first = await editor.create();
    const second = await editor.create();
    for (const id of [first, second]) await editor.update(id, 'notice', ({ title }) => title.includes('not trusted'));
    await editor.prompt(second, '/trust');
    const third = await editor.create();
    await editor.update(third, 'available_commands_update');
    llm.reply({ text: 'works' });
    await editor.prompt(third, 'hi');
    assert.doesNotMatch(JSON.stringify(editor.updates(third)), /not trusted/);
    await editor.end();
  });

  it('have each their own hooks in one process', async () => {
    place.hook('mine.ts', COMMAND);
    const other = join(place.file('other/readme.md', ''), '..');
    const editor = await AcpEditor.open(place);
    const first = await editor.create();
    const second = await editor.create({ cwd: other });
    await editor.update(first, 'available_commands_update');
    await editor.update(second, 'available_commands_update');
    assert.ok(commandNames(editor, first).includes('mine'));
    assert.ok(!commandNames(editor, second).includes('mine'));
    await editor.end();
  });

  it('count as the workspace when the editor names them besides', async () => {
    const further = join(place.file('further/readme.md', ''), '..');
    const editor = await AcpEditor.open(place, { args: ['--approve-tools', 'edits'] });
    const sessionId = await editor.create({ additionalDirectories: [further] });
    const path = join(further, 'new.txt');
    llm.reply({ toolCalls: [{ name: 'write', arguments: { path, content: 'written' } }] }, { text: 'done' });
    await editor.prompt(sessionId, 'write');
    assert.equal(readFileSync(path, 'utf8'), 'written');
    assert.deepEqual(editor.permissions, []);
    await editor.end();
  });

  it('let a session be read that another process writes to, and say so', async () => {
    const first = await AcpEditor.open(place);
    const sessionId = await first.create();
    llm.reply({ text: 'an answer' });
    await first.prompt(sessionId, 'a question');
    const second = await AcpEditor.open(place);
    await second.request('session/load', { sessionId, cwd: place.cwd, mcpServers: [] });
    assert.match(second.said(sessionId), /an answer/);
    await second.update(sessionId, 'notice', ({ title }) => title.includes('can only be read'));
    await refusal(second.prompt(sessionId, 'mine?'), -32_603);
    await second.end();
    await first.end();
  });
});
