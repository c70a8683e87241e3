import assert from 'node:assert/strict';
import { type Ended } from './support/cli';
import { eachWithModel } from './support/each-with-model';
import { RpcHost } from './support/rpc';

describe('flags of the command line', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();

  const asked = (request = 0): string => JSON.stringify(llm.requests[request]?.body ?? '');
  const tools = (request = 0): string[] =>
    ((llm.requests[request]?.body['tools'] ?? []) as { readonly name: string }[]).map(({ name }) => name).sort();
  const fine = (ended: Ended): Ended => {
    assert.equal(ended.code, 0, ended.stderr);
    return ended;
  };

  it('that clients of pi pass always are accepted, each with a line on stderr when it means nothing', async () => {
    llm.reply({ text: 'ok' });
    const idle = ['--no-themes', '--theme', 'a.json', '--use-theme', 'light', '--tui-mode', 'regular'];
    const all = [...idle, '--offline', '--no-mcp', '-ns', '-np', '-nc', '-ne', '-na', '-e', 'builtin:mcp'];
    const { stdout, stderr } = fine(await place.run([...all, '-p', 'x']));
    assert.equal(stdout, 'ok\n');
    const said = stderr.trimEnd().split('\n');
    assert.deepEqual(
      said.map(line => /^hookline: (.+) has no effect here: .+\.$/.exec(line)?.[1]),
      ['--no-themes', '--theme', '--use-theme', '--tui-mode', '-e builtin:mcp'],
    );
  });

  it('choose tools of hooks and our own, also those that a hook registers late', async () => {
    place.hook(
      'tools.ts',
      `const tool = name => ({ name, label: name, description: name, parameters: { type: 'object', properties: {} },
         execute: async () => ({ content: [] }) });
       export default pi => {
         pi.registerTool(tool('my_early'));
         pi.on('agent_start', () => pi.registerTool(tool('my_late')));
       };\n`,
    );
    llm.reply({ text: 'a' }, { text: 'b' }, { text: 'c' }, { text: 'd' }, { text: 'e' });
    const twice = ['-p', 'x', 'y'];
    fine(await place.run([...twice, '-t', 'read,my_early']));
    assert.deepEqual(tools(1), ['my_early', 'read']);
    fine(await place.run([...twice, '-nbt', '-xt', 'my_e*']));
    assert.deepEqual(tools(3), ['my_late']);
    fine(await place.run(['-p', 'x', '-t', '-bash,-my_early']));
    assert.ok(tools(4).includes('read') && !tools(4).includes('bash') && !tools(4).includes('my_early'));
  });

  it('name skills and templates, and leave out all others', async () => {
    const skill = (name: string): string => `---\nname: ${name}\ndescription: About ${name}.\n---\nDo it.\n`;
    place.file('work/.pi/skills/found/SKILL.md', skill('found'));
    place.file('named/given/SKILL.md', skill('given'));
    place.file('work/.pi/prompts/greet.md', 'Found greeting');
    place.file('named/wave.md', 'Named greeting');
    place.file('work/AGENTS.md', 'Rules of the folder.');
    llm.reply({ text: 'a' }, { text: 'b' }, { text: 'c' });
    const named = ['--skill', '../named/given', '--prompt-template', '../named/wave.md'];
    fine(await place.run([...named, '-p', '/greet']));
    assert.match(asked(0), /Found greeting/);
    for (const text of ['About found', 'About given', 'Rules of the folder']) assert.ok(asked(0).includes(text), text);
    fine(await place.run([...named, '-ns', '-np', '-nc', '-p', '/wave', '/greet']));
    assert.match(asked(1), /Named greeting/);
    assert.match(asked(2), /"\/greet"/);
    for (const text of ['About found', 'Rules of the folder']) assert.ok(!asked(1).includes(text), text);
    assert.ok(asked(1).includes('About given'));
  });

  it('that name a skill which is not there are told, and the prompt is sent', async () => {
    llm.reply({ text: 'ok' });
    const { stderr } = fine(await place.run(['--skill', 'nowhere', '-p', 'x']));
    assert.match(stderr, /named on the command line, does not exist.*nowhere/);
  });

  it('leave out what the folder brings with --no-approve', async () => {
    place.hook('shout.ts', "export default pi => { console.log('loaded'); };\n");
    place.file('work/.pi/APPEND_SYSTEM.md', 'Project words.');
    llm.reply({ text: 'a' }, { text: 'b' });
    assert.match(fine(await place.run(['-p', 'x'])).stderr, /loaded/);
    assert.doesNotMatch(fine(await place.run(['-na', '-p', 'x'])).stderr, /loaded/);
    assert.ok(asked(0).includes('Project words.'));
    assert.ok(!asked(1).includes('Project words.'));
  });

  it('list the models that can be used, those of hooks too, without a request', async () => {
    const { stdout } = fine(await place.run(['--list-models', 'scripted']));
    assert.deepEqual(
      stdout.split('\n').map(line => line.split(/ +/).slice(0, 3).join(' ')),
      ['provider model context', 'scripted one 200K', 'scripted two 200K', ''],
    );
    assert.equal(llm.requests.length, 0);
  });

  it('make a prompt of what begins with three dashes behind -p', async () => {
    llm.reply({ text: 'ok' });
    fine(await place.run(['-p', '---\ntitle: x']));
    assert.match(asked(), /"---\\ntitle: x"/);
  });

  it('of hooks take a text as an argument of its own, also in RPC mode', async () => {
    place.hook(
      'preset.ts',
      `export default pi => {
         pi.registerFlag('preset', { type: 'string' });
         pi.on('session_start', () => console.log('preset is ' + pi.getFlag('preset')));
       };\n`,
    );
    const host = RpcHost.start(place, ['--preset', 'other']);
    const state = await host.ask('get_state');
    const { code, stderr } = await host.close();
    assert.deepEqual([code, state['success']], [0, true]);
    assert.match(stderr, /preset is other/);
  });

  it('tell child processes that the network is not wanted', async () => {
    llm.reply({ toolCalls: [{ name: 'bash', arguments: { command: 'echo offline=$PI_OFFLINE' } }] }, { text: 'ok' });
    fine(await place.run(['--offline', '-p', 'x']));
    assert.match(asked(1), /offline=1/);
  });
});
