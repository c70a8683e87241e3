import assert from 'node:assert/strict';
import { listProcesses } from '../../src/agent/tools/shell/kill-tree';
import { sleeperSeconds } from '../agent/tools/fixture';
import type { ScriptedLlm } from '../support/scripted-llm';
import { ended, until, type CliPlace } from './support/cli';
import { eachWithModel } from './support/each-with-model';

/** How something is started that still runs when the host is killed; each starts a `sleep` of its own number of seconds. */
const FORMS: Readonly<Record<string, (seconds: string) => { readonly bash: string } | { readonly hook: string }>> = {
  'bash, waited for': seconds => ({ bash: `sleep ${seconds}` }),
  'bash, in the background': seconds => ({ bash: `sleep ${seconds} > /dev/null 2>&1 & sleep ${seconds}` }),
  'bash, in a session of its own': seconds => ({ bash: `setsid sleep ${seconds} > /dev/null 2>&1 & sleep ${seconds}` }),
  'bash, without its environment': seconds => ({ bash: `env -i sleep ${seconds} > /dev/null 2>&1 & sleep ${seconds}` }),
  'bash, deaf to SIGTERM': seconds => ({ bash: `trap '' TERM; sleep ${seconds}; sleep ${seconds}` }),
  "a hook's exec": seconds => ({ hook: `await pi.exec('sleep', ['${seconds}'])` }),
  "a hook's spawn": seconds => ({
    hook: `const { spawn } = await import('node:child_process');
      spawn('sleep', ['${seconds}'], { detached: true, stdio: 'ignore' }).unref(); await new Promise(() => {})`,
  }),
  "a hook's execSync": seconds => ({
    hook: `const { execSync } = await import('node:child_process'); execSync('sleep ${seconds}')`,
  }),
};

describe('children of a host that is gone', function () {
  this.timeout(60_000);
  let place: CliPlace;
  let llm: ScriptedLlm;

  before(function () {
    if (process.platform !== 'linux') this.skip();
  });
  eachWithModel((ownPlace, ownLlm) => {
    place = ownPlace;
    llm = ownLlm;
    place.useLlm(llm);
  });

  /** How many of a form's sleeping processes live, whatever environment they have. */
  const sleeping = async (seconds: string): Promise<number> => {
    const { readFile } = await import('node:fs/promises');
    const rows = (await listProcesses('NONE')) ?? [];
    const lines = await Promise.all(rows.map(({ pid }) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
    return lines.filter(line => line === `sleep\0${seconds}\0`).length;
  };

  for (const [name, form] of Object.entries(FORMS)) {
    it(`end with kill -9: ${name}`, async () => {
      const seconds = sleeperSeconds();
      const made = form(seconds);
      if ('hook' in made) {
        place.hook('h.ts', `export default pi => { pi.on('agent_start', async () => { ${made.hook}; }); };\n`);
      } else llm.reply({ toolCalls: [{ name: 'bash', arguments: { command: made.bash } }] });
      llm.otherwise(() => ({ text: 'done' }));
      const host = place.start(['-p', 'go']);
      host.stdin.end();
      await until(async () => (await sleeping(seconds)) > 0, 'the child');
      host.kill('SIGKILL');
      await ended(host);
      await until(async () => (await sleeping(seconds)) === 0, 'nothing to be left');
      await until(async () => (await place.processes()).length === 0, 'no process of this place to be left');
    });
  }

  it('end with kill -9: an MCP server, and what it started', async () => {
    const [server, child, far] = [sleeperSeconds(), sleeperSeconds(), sleeperSeconds()];
    // As a server may be: deaf to the end of its input, with a child beside it and one in a session of its own.
    const command = `sleep ${child} & setsid sleep ${far} & exec sleep ${server}`;
    const stuck = { command: 'sh', args: ['-c', command], exposure: 'direct' };
    place.file('agent/mcp.json', JSON.stringify({ mcpServers: { stuck } }));
    llm.otherwise(() => ({ text: 'done' }));
    const host = place.start(['-p', 'go']);
    host.stdin.end();
    const left = async (): Promise<number> => {
      const counts = await Promise.all([server, child, far].map(seconds => sleeping(seconds)));
      return counts.reduce((sum, count) => sum + count);
    };
    await until(async () => (await left()) === 3, 'the server and its children');
    host.kill('SIGKILL');
    await ended(host);
    await until(async () => (await left()) === 0, 'nothing to be left');
    await until(async () => (await place.processes()).length === 0, 'no process of this place to be left');
  });

  it('end with kill -9, also when the command itself had ended before', async () => {
    const seconds = sleeperSeconds();
    llm.reply({ toolCalls: [{ name: 'bash', arguments: { command: `sleep ${seconds} > /dev/null 2>&1 &` } }] });
    llm.reply({ toolCalls: [{ name: 'bash', arguments: { command: 'sleep 100000.1' } }] });
    const host = place.start(['-p', 'go']);
    host.stdin.end();
    await until(async () => (await sleeping('100000.1')) > 0, 'the second command');
    host.kill('SIGKILL');
    await ended(host);
    await until(async () => (await sleeping(seconds)) === 0, 'nothing to be left');
  });

  it('stay when the host ends by itself and a command left them on purpose', async () => {
    const seconds = sleeperSeconds();
    llm.reply({ toolCalls: [{ name: 'bash', arguments: { command: `sleep ${seconds} > /dev/null 2>&1 &` } }] });
    llm.reply({ text: 'done' });
    const { code, stdout } = await place.run(['-p', 'go']);
    assert.deepEqual([code, stdout], [0, 'done\n']);
    assert.equal(await sleeping(seconds), 1);
    for (const pid of await place.processes()) process.kill(pid, 'SIGKILL');
  });

  for (const [name, stop] of [
    ['SIGTERM', (host: ReturnType<CliPlace['start']>) => host.kill('SIGTERM')],
    ['the end of stdin', (host: ReturnType<CliPlace['start']>) => host.stdin.end()],
  ] as const) {
    it(`an exec that a running command waits for ends with ${name}`, async () => {
      const seconds = sleeperSeconds();
      place.hook(
        'h.ts',
        `export default pi => { pi.registerCommand('wait', { handler: async () => { await pi.exec('sleep', ['${seconds}']); } }); };\n`,
      );
      const host = place.start(['--mode', 'rpc']);
      host.stdin.write(`${JSON.stringify({ type: 'prompt', message: '/wait' })}\n`);
      await until(async () => (await sleeping(seconds)) > 0, 'the command');
      stop(host);
      await ended(host);
      await until(async () => (await sleeping(seconds)) === 0, 'nothing to be left');
    });
  }
});
