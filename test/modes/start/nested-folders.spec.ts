import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '../../../src/base/log';
import type { FolderRuntime } from '../../../src/modes/start/folder-runtime';
import { ParentServer } from '../../../src/startup/parent/parent-server';
import { FolderRig, type Talk } from './folder-rig';

/** A hook of the user that trusts the outer folder only. */
const TRUSTS_OUTER = `export default pi => {
  pi.on('project_trust', ({ cwd }) => ({ trusted: cwd.endsWith('outer') ? 'yes' : 'undecided' }));
}`;

/** Writes what a program that each way of a hook starts gets in its environment. */
const STARTS = `import { execFileSync } from 'node:child_process';
import { createBashTool, createLocalBashOperations, execCommand } from '@mariozechner/pi-coding-agent';
export default pi => {
  pi.registerCommand('start', {
    handler: async (_args, { cwd }) => {
      await pi.exec('sh', ['-c', 'printenv > exec'], { cwd });
      await execCommand('sh', ['-c', 'printenv > command'], cwd);
      execFileSync('sh', ['-c', 'printenv > child'], { cwd });
      await createBashTool(cwd).execute('1', { command: 'printenv > tool' });
      await createLocalBashOperations().exec('printenv > operations', cwd, { onData: () => undefined });
    },
  });
}`;

const NAMES = ['outer', 'outer/inner'] as const;

describe('folders of one process, one below the other', function () {
  this.timeout(30_000);
  let rig: FolderRig;

  beforeEach(async () => {
    rig = await FolderRig.start();
    rig.write('agent/hooks/trusts.ts', TRUSTS_OUTER);
    rig.write('agent/hooks/starts.ts', STARTS);
    for (const name of NAMES) rig.write(`${name}/.pi/hooks/own.ts`, 'export default () => undefined;');
  });
  afterEach(() => rig.stop());

  for (const order of [NAMES, NAMES.toReversed()]) {
    it(`has its hooks run only where it is trusted itself: ${order.join(', then ')}`, async () => {
      const opened = new Map<string, FolderRuntime>();
      for (const name of order) opened.set(name, await rig.open(name, {}, []));
      const own = (name: string): unknown =>
        opened
          .get(name)
          ?.host.infos()
          .filter(({ path }) => path.endsWith('own.ts'))
          .map(({ path, state }) => [path, state.type]);
      const [outer, inner] = NAMES.map(name => join(rig.root, name, '.pi/hooks/own.ts'));
      assert.deepEqual(own('outer'), [[outer, 'live']]);
      assert.deepEqual(own('outer/inner'), [[inner, 'heldBack']]);
      assert.deepEqual(
        { ...opened.get('outer/inner')?.services.trust.current },
        { trusted: false, reason: { by: 'nobody' } },
      );
    });
  }

  it('has in each of them the gates of the process whose hook started the agent', async () => {
    rig.write('gate.ts', "export default pi => pi.on('tool_call', () => ({ block: true, reason: 'above' }));");
    const path = join(rig.root, 'gate.ts');
    const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
    const gate = { path, group: 'hooks', origin: 'explicit', isGate: true, sources: [{ path, hash }] } as const;
    const parent = new ParentServer({
      facts: () => ({ cwd: rig.root, hooks: [gate], dialects: {}, disabled: [] }),
      typedKey: () => Promise.resolve(undefined),
      decide: () => Promise.resolve({ approvalReason: { by: 'nobody' } }),
      log: silentLog,
    });
    try {
      Object.assign(rig.env, parent.variables(true));
      for (const name of NAMES) {
        const { started } = await rig.talkIn(await rig.open(name, {}));
        await started.conversation.prompt('touch it');
        assert.equal(existsSync(join(rig.root, name, 'it')), false, name);
      }
    } finally {
      parent.dispose();
    }
  });

  it('tells the programs that each of them starts what was decided about it, and not about the other', async () => {
    const server = { command: 'sh', args: ['-c', `printenv > "$WHERE/server"`] };
    const talks: Talk[] = [];
    for (const [name, argv] of [
      ['outer', ['--approve']],
      ['outer/inner', ['--no-approve']],
    ] as const) {
      const cwd = join(rig.root, name);
      const folder = await rig.open(name, {}, argv);
      const env = { WHERE: cwd };
      const mcpServers = [{ name: 'told', config: { ...server, env }, source: 'the client', scope: 'client' as const }];
      talks.push(await rig.talkIn(folder, { mcpServers }));
    }
    for (const { started } of talks) {
      const { conversation } = started;
      await conversation.ports.mcp?.ready(undefined);
      await conversation.prompt('printenv > bash');
      await conversation.prompt('/start');
      await conversation.shells.run('printenv > user', true);
    }
    for (const [name, answer] of [
      ['outer', 'yes'],
      ['outer/inner', 'no'],
    ] as const) {
      const cwd = join(rig.root, name);
      for (const file of ['server', 'bash', 'user', 'exec', 'command', 'child', 'tool', 'operations']) {
        const path = join(cwd, file);
        const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
        const told = lines.filter(line => line.startsWith('HOOKLINE_PROJECT_TRUST='));
        assert.deepEqual([file, ...told], [file, `HOOKLINE_PROJECT_TRUST=${answer}:${cwd}`]);
      }
    }
    assert.equal(rig.env['HOOKLINE_PROJECT_TRUST'], undefined);
  });
});
