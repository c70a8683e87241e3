import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageContent } from '../../src/packages/approval/package-content';
import { EarlyHelper } from '../../src/startup/helper-thread/helper-thread';
import { builtCli } from './support/cli';
import { eachWithModel } from './support/each-with-model';
import { RpcHost } from './support/rpc';

const GATE = `export default pi => {
  console.error('package loaded');
  pi.on('tool_call', event => (event.toolName === 'bash' ? { block: true, reason: 'the gate of the package' } : undefined));
};
`;

const RELOAD = `export default pi => {
  pi.registerCommand('again', { handler: (args, ctx) => ctx.reload() });
  pi.on('session_start', (event, ctx) => event.reason === 'reload' && ctx.ui.notify('loaded again'));
};
`;

describe('packages on the command line that nobody approved', function () {
  this.timeout(60_000);
  const { place, llm } = eachWithModel({ packages: ['npm:acme'] });

  function install(code = GATE): void {
    place.file('agent/npm/node_modules/acme/package.json', JSON.stringify({ name: 'acme', version: '1.0.0' }));
    place.file('agent/npm/node_modules/acme/extensions/gate.ts', code);
  }

  const run = async (...args: readonly string[]): Promise<string> => (await place.run(['-p', ...args, 'x'])).stderr;
  const SKIPPED =
    'Warning: Package "npm:acme" is skipped: it is not approved yet; --approve-packages approves and runs it.';

  it('are skipped in one line, and --approve-packages approves and runs them', async () => {
    llm.otherwise(() => ({ text: 'an answer' }));
    install();
    const skipped = (await run()).trimEnd().split('\n');
    assert.deepEqual([skipped.length, skipped[0]?.startsWith(SKIPPED)], [1, true], skipped.join('\n'));
    assert.equal(await run('--approve-packages'), 'package loaded\n');
    assert.equal(await run(), 'package loaded\n');
    const approvals = readFileSync(join(place.root, 'agent/hookline/packages.json'), 'utf8');
    assert.match(approvals, /"kind": "gate",\s+"name": "tool_call"/);
    install(GATE.replace('console.error', 'console.warn'));
    assert.match(await run(), /"npm:acme" is skipped: its files were changed since it was approved/);
  });

  it('are looked at by the helper thread of the program while its other code is loaded', async () => {
    install();
    const agentDir = join(place.root, 'agent');
    const folder = join(agentDir, 'npm/node_modules/acme');
    const helper = EarlyHelper.start(dirname(await builtCli()), { agentDir, cwd: place.cwd }, Infinity);
    const { signature } = await packageContent(folder, []);
    const look = await helper?.takeLook(folder);
    assert.deepEqual(look && { ...look, at: 0 }, { folder, dependencies: [], signature, at: 0 });
    await helper?.takeThread()?.terminate();
  });

  it('are looked at again when they are turned on later', async () => {
    llm.otherwise(() => ({ text: 'an answer' }));
    install();
    await run('--approve-packages');
    const file = join(place.root, 'agent/hookline/packages.json');
    const approvals = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...approvals, off: ['npm:acme'] }));
    place.file('agent/extensions/again.ts', RELOAD);
    const host = RpcHost.start(place, []);
    await host.data('get_state');
    install(GATE.replace('package loaded', 'other code loaded'));
    writeFileSync(file, JSON.stringify({ ...approvals, off: [] }));
    await host.data('prompt', { message: '/again' });
    await host.event('extension_ui_request');
    const { stderr } = await host.close();
    assert.doesNotMatch(stderr, /loaded/);
  });

  it('keep the tools from running that they would check, and say so', async () => {
    install();
    llm.reply({ toolCalls: [{ name: 'bash', arguments: { command: 'touch ran' } }] }, { text: 'done' });
    await run();
    assert.match(
      JSON.stringify(llm.requests[1]?.body),
      /gate\.ts checks tool calls, but its package does not run: it is not approved yet/,
    );
  });

  it('do not run while the file of approvals is damaged, local ones neither', async () => {
    llm.otherwise(() => ({ text: 'an answer' }));
    install();
    await run('--approve-packages');
    place.file('agent/hookline/packages.json', '{');
    place.file('local/extensions/index.ts', "console.error('local package loaded'); export default () => undefined;\n");
    place.useLlm(llm, { packages: ['npm:acme', '../local'] });
    const said = await run('--approve-packages');
    assert.match(
      said,
      /packages\.json cannot be used, so no package runs until you correct or delete it: it is not JSON/,
    );
    const skipped = said.match(/".+" is skipped: it is not known whether you turned it off, because .+packages\.json/g);
    assert.equal(skipped?.length, 2, said);
    assert.doesNotMatch(said, /package loaded/);
  });
});
