import assert from 'node:assert/strict';
import { deferred } from '../../../../src/base/async/wait';
import { AcpEditor } from '../../support/acp';
import { eachWithModel } from '../../support/each-with-model';
import { OneSession } from '../support/one-session';

const command = (name: string): string =>
  `export default (pi: any) => pi.registerCommand('${name}', { description: 'of the folder', handler: async () => {} });\n`;
const IMPORTING = `import { name } from '../lib/name';
export default (pi: any) => pi.registerCommand(name, { description: 'of the folder', handler: async () => {} });
`;
const bash = (line: string): object => ({ toolCalls: [{ name: 'bash', arguments: { command: line } }] });

describe('Trust over ACP in a folder where a tool ran', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();
  beforeEach(() => {
    place.leaveUndecided();
    place.hook('mine.ts', command('mine'));
    place.hook('importing.ts', IMPORTING);
    place.file('work/.pi/lib/name.ts', `export const name = 'importing';\n`);
  });

  const commands = (session: OneSession): readonly string[] =>
    (session.all('available_commands_update').at(-1)?.availableCommands ?? []).map(({ name }) => name);
  /** A session in which the model runs a line in the shell. */
  const after = async (line: string): Promise<OneSession> => {
    const session = await OneSession.open(place, { profile: 'no elicitation', args: ['--approve-tools', 'auto'] });
    llm.reply(bash(line), { text: 'done' });
    await session.run('go');
    return session;
  };
  const WRITES = `cat > .pi/hooks/theirs.ts <<'END'\n${command('theirs')}END`;

  it('loads the hooks that were there before', async () => {
    const session = await after('echo done');
    await session.run('/trust');
    await session.editor.until(() => commands(session).includes('mine'), 'the command of the hook');
    assert.ok(commands(session).includes('importing'));
    await session.end();
  });

  it('does not load a hook that the tool made, nor one of which it changed an import', async () => {
    const session = await after(`${WRITES}\necho "export const name = 'changed';" > .pi/lib/name.ts`);
    await session.run('/trust');
    await session.editor.until(() => commands(session).includes('mine'), 'the command of the hook');
    assert.deepEqual(
      commands(session).filter(name => ['theirs', 'changed', 'importing'].includes(name)),
      [],
    );
    await session.end();
  });

  it('does not load what the tool made when the agent starts again before', async () => {
    const first = await after(WRITES);
    await first.end();
    const session = await OneSession.open(place, { profile: 'no elicitation' });
    await session.run('/trust');
    await session.editor.until(() => commands(session).includes('mine'), 'the command of the hook');
    assert.ok(commands(session).includes('importing'));
    assert.ok(!commands(session).includes('theirs'));
    await session.end();
  });

  it('does not load what the tool made or changed of the hooks that only settings of the folder name', async () => {
    place.file('work/.pi/settings.json', JSON.stringify({ hooks: ['named'], extensions: ['../theirs.ts'] }));
    place.file('work/named/same.ts', command('same'));
    place.file('work/named/edited.ts', command('edited'));
    const made = `cat > theirs.ts <<'END'\n${command('theirs')}END\n`;
    const first = await after(`${made}echo '// changed' >> named/edited.ts`);
    await first.end();
    const session = await OneSession.open(place, { profile: 'no elicitation' });
    await session.run('/trust');
    await session.editor.until(() => commands(session).includes('same'), 'the command of the hook');
    assert.deepEqual(
      commands(session).filter(name => ['theirs', 'edited'].includes(name)),
      [],
    );
    await session.end();
  });

  it('loads by a yes in the form what was there before, and nothing that the tool made', async () => {
    const editor = await AcpEditor.open(place, { args: ['--approve-tools', 'auto'] });
    const answered = deferred<object>();
    editor.onElicitation = () => answered.promise;
    const sessionId = await editor.create();
    llm.reply(bash(WRITES), { text: 'done' });
    await editor.prompt(sessionId, 'go');
    answered.resolve({ action: 'accept', content: { answer: 'Trust this folder' } });
    const listed = await editor.update(sessionId, 'available_commands_update', ({ availableCommands }) =>
      availableCommands.some(({ name }) => name === 'mine'),
    );
    assert.ok(listed.availableCommands.every(({ name }) => name !== 'theirs'));
    await editor.end();
  });
});
