import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sleeperSeconds } from '../agent/tools/fixture';
import { AmongBystanders } from '../support/bystanders';
import { MCP_SERVER } from '../support/scripted-mcp';
import { ScriptedLlm } from '../support/scripted-llm';
import { Chat } from './support/chat';
import { scriptedHome } from './support/scripted-home';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

/** What a window starts, each once as usual and once so that it ignores SIGTERM. */
const STARTERS = ['hook', 'detached', 'tool', 'server', 'apart'] as const;
type Starter = (typeof STARTERS)[number];
type Sleepers = Readonly<Record<Starter, readonly [usual: string, deaf: string]>>;

/** In the command lines of all that a window starts, and of nothing else. */
const ID = sleeperSeconds();
const fileOf = (starter: Starter): string => `./${ID}-${starter}`;

/** Starts what the files say; what it detaches and does not wait for is a bystander. */
const HOOK = `import { spawn } from 'node:child_process';
export default pi => {
  pi.on('session_start', () => {
    spawn('sh', ['${fileOf('hook')}'], { stdio: 'ignore' });
    spawn('sh', ['${fileOf('detached')}'], { stdio: 'ignore', detached: true });
    spawn('sh', ['${fileOf('apart')}'], { stdio: 'ignore', detached: true }).unref();
  });
};
`;

// Elsewhere there is no /proc, in which its processes are looked up.
(process.platform === 'linux' ? describe : describe.skip)(
  'what a window of VS Code ends, and what it must not end',
  function () {
    this.timeout(240_000);
    let llm: ScriptedLlm;
    let among: AmongBystanders;
    let workbench: Workbench;
    const rounds = [makeSleepers(), makeSleepers()] as const;

    before(async () => {
      llm = await ScriptedLlm.start();
      among = await AmongBystanders.open([ID, ...rounds.flatMap(round => Object.values(round).flat())]);
      // The shell of the server starts what the file of this name says, beside the server.
      const shell = 'sh "$0" & "$@"; wait';
      const args = ['-c', shell, fileOf('server'), process.execPath, MCP_SERVER, JSON.stringify({ name: ID })];
      const mcpServers = { kept: { command: 'sh', args, exposure: 'direct' } };
      workbench = await openWorkbench({
        run: among.run,
        vsixes: among.vsixes,
        workspace: 'none',
        homeFiles: { ...scriptedHome(llm), '.pi/agent/mcp.json': JSON.stringify({ mcpServers }) },
        files: { '.pi/hooks/starts.ts': HOOK, ...scriptsOf(rounds[0]) },
      });
    });
    after(async () => {
      await workbench.close();
      await llm.stop();
    });

    it('a reloaded window ends its children, and no bystander', async () => {
      await startAll(rounds[0]);
      for (const [name, text] of Object.entries(scriptsOf(rounds[1]))) {
        writeFileSync(join(workbench.workspace, name), text);
      }
      await workbench.reload();
      await assertEnded(rounds[0]);
    });

    it('a closed window ends its children, and no bystander', async () => {
      await startAll(rounds[1]);
      await workbench.page.close({ runBeforeUnload: true });
      await assertEnded(rounds[1]);
    });

    async function startAll(sleepers: Sleepers): Promise<void> {
      const chat = await Chat.open(workbench);
      llm.reply({ toolCalls: [{ name: 'bash', arguments: { command: scriptOf(sleepers.tool) } }] });
      await chat.ask('go');
      const all = Object.values(sleepers).flat();
      await waitFor(async () => (await among.alive(all)).length === all.length || undefined, { what: 'all children' });
      await among.addYounger();
    }

    async function assertEnded({ apart, ...rest }: Sleepers): Promise<void> {
      const promised = Object.values(rest).flat();
      await waitFor(async () => (await among.alive(promised)).length === 0 || undefined, {
        what: 'the children to end',
      });
      assert.deepEqual(await among.alive(apart), apart);
      await among.assertBystandersLive();
      assert.ok(among.isSafe);
    }
  },
);

function makeSleepers(): Sleepers {
  const all = STARTERS.map(starter => [starter, [sleeperSeconds(), sleeperSeconds()]]);
  return Object.fromEntries(all) as Sleepers;
}

function scriptOf([usual, deaf]: readonly [string, string]): string {
  return `(trap '' TERM; sleep ${deaf}; :) & sleep ${usual}; :\n`;
}

function scriptsOf(sleepers: Sleepers): Readonly<Record<string, string>> {
  return Object.fromEntries(STARTERS.map(starter => [fileOf(starter), scriptOf(sleepers[starter])]));
}
