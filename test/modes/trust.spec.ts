import assert from 'node:assert/strict';
import { join } from 'node:path';
import { eachWithModel } from './support/each-with-model';

const SHOUT = "export default pi => { console.error('project hook loaded'); };\n";
const GATE = "export default pi => { pi.on('tool_call', () => undefined); };\n";
const POLICY = (trusted: string): string =>
  `export default pi => pi.on('project_trust', (event, ctx) => { console.error('asked', ctx.cwd === event.cwd, ctx.isProjectTrusted()); return { trusted: '${trusted}' }; });\n`;

describe('trust on the command line', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();
  beforeEach(() => llm.otherwise(() => ({ text: 'an answer' })));

  const loaded = async (...args: readonly string[]): Promise<string> => (await place.run(['-p', ...args, 'x'])).stderr;

  it('is given to the folder by a saved decision, and taken back by --no-approve', async () => {
    place.hook('shout.ts', SHOUT);
    assert.equal(await loaded(), 'project hook loaded\n');
    for (const flag of ['--no-approve', '-na']) {
      assert.equal(
        await loaded(flag),
        'Warning: this folder is not trusted, because --no-approve was given. Not used: .pi/hooks.\n',
      );
    }
  });

  it('is taken back by trust.json, by a setting of the person and by their hooks; --approve is the last word', async () => {
    place.hook('shout.ts', SHOUT);
    const trustJson = place.file('agent/trust.json', JSON.stringify({ [place.root]: false }));
    assert.match(await loaded(), new RegExp(`because ${trustJson} says so for ${place.root}\\.`));
    assert.equal(await loaded('--approve'), 'project hook loaded\n');
    place.file('agent/trust.json', '{}');
    place.useLlm(llm, { defaultProjectTrust: 'never' });
    assert.match(await loaded(), /because defaultProjectTrust is "never"/);
    assert.equal(await loaded('-a'), 'project hook loaded\n');
    place.useLlm(llm, { defaultProjectTrust: 'always' });
    assert.equal(await loaded(), 'project hook loaded\n');
    place.useLlm(llm);
    place.file('work/.pi/settings.json', JSON.stringify({ defaultProjectTrust: 'always' }));
    assert.match(await loaded(), /because nobody has decided to trust it/, 'a folder has no say about itself');
    place.file('agent/trust.json', JSON.stringify({ [place.cwd]: true }));
    place.file('work/.pi/settings.json', JSON.stringify({ defaultProjectTrust: 'never' }));
    assert.equal(await loaded(), 'project hook loaded\n', 'a folder has no say about itself');
    const policy = place.file('agent/extensions/policy.ts', POLICY('no'));
    const said = await loaded();
    assert.match(said, /^asked true false\n/);
    assert.ok(said.includes(`because the hook ${policy} says so.`), said);
    assert.equal(
      await loaded('--no-hooks', '-e', place.file('policy.ts', POLICY('no'))).then(text => text.split('\n')[0]),
      'asked true false',
    );
  });

  it('asks hooks before anything of the folder is loaded, and loads it on their yes', async () => {
    place.leaveUndecided();
    place.hook('shout.ts', SHOUT);
    place.file('work/.pi/settings.json', JSON.stringify({ extensions: [join(place.cwd, 'named.ts')] }));
    place.file('work/named.ts', "export default pi => { console.error('named'); };\n");
    place.file('agent/extensions/policy.ts', POLICY('yes'));
    assert.deepEqual((await loaded()).trimEnd().split('\n'), ['asked true false', 'project hook loaded', 'named']);
  });

  it('refuses tools that a hook which is held back would gate, in one line', async () => {
    const gate = place.hook('gate.ts', GATE);
    place.file('work/notes.txt', 'words');
    llm.reply({ toolCalls: [{ name: 'read', arguments: { path: 'notes.txt' } }] }, { text: 'done' });
    const { code } = await place.run(['-p', '--no-approve', 'read it']);
    assert.equal(code, 0);
    const sent = JSON.stringify(llm.requests[1]?.body['messages']);
    assert.ok(
      sent.includes(
        `${gate} checks tool calls, but is held back: this folder is not trusted, because --no-approve was given.`,
      ),
      sent,
    );
    assert.ok(!sent.includes('words'));
  });

  it('is inherited by what is started from here, the yes and the no', async () => {
    place.hook('shout.ts', SHOUT);
    const command = `"${process.execPath}" "${place.cliPath}" -p inner 2>&1`;
    const said = async (flag: string): Promise<string> => {
      llm.reply({ toolCalls: [{ name: 'bash', arguments: { command } }] }, { text: 'inner answer' }, { text: 'done' });
      await place.run(['-p', flag, 'outer']);
      return JSON.stringify(llm.requests.at(-1)?.body['messages']);
    };
    const denied = await said('--no-approve');
    assert.match(denied, /this folder is not trusted, because the process that started this one did not trust it/);
    assert.ok(!denied.includes('project hook loaded'));
    place.leaveUndecided();
    const granted = await said('--approve');
    assert.match(granted, /project hook loaded/);
    assert.doesNotMatch(granted, /not trusted/);
  });
});
