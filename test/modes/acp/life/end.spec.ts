import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MCP_SERVER } from '../../../support/scripted-mcp';
import type { ScriptedLlm } from '../../../support/scripted-llm';
import { trustFolder } from '../../../../scripts/support/test-place.ts';
import { AcpEditor, NO_ANSWER } from '../../support/acp';
import { until, type CliPlace } from '../../support/cli';
import { eachWithModel } from '../../support/each-with-model';

/** A client that starts the command line, whose exit code a shell writes down, and passes everything on. */
const CLIENT = `
const { spawn } = require('node:child_process');
const [exitCode, ...command] = process.argv.slice(2);
const shell = ['-c', 'file=$1; shift; "$@"; echo $? > "$file"', 'sh', exitCode, process.execPath, ...command];
const agent = spawn('sh', shell, { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.pipe(agent.stdin);
agent.stdout.pipe(process.stdout);
`;

/** Takes its time at the end. */
const SHUTDOWN = `
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
export default pi => {
  pi.on('session_start', () => appendFileSync('hooks', 'start '));
  pi.on('session_shutdown', async () => {
    appendFileSync('hooks', 'end ');
    await sleep(500);
    appendFileSync('hooks', 'ended ');
  });
};
`;

/** Takes longer than answers are waited for at the end. */
const SLOW_SHUTDOWN = `
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
export default pi => {
  pi.on('session_shutdown', async () => {
    appendFileSync('hooks', 'closing ');
    await sleep(3000);
  });
};
`;

const LOADS = `
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
export default async () => { appendFileSync('loading', '1'); await sleep(1000); };
`;

const HANGS = `
import { writeFileSync } from 'node:fs';
export default pi => {
  pi.on('tool_call', () => { writeFileSync('asked', ''); return new Promise(() => {}); });
};
`;

interface Living {
  readonly place: CliPlace;
  readonly llm: ScriptedLlm;
  readonly editor: AcpEditor;
}

/** Something that goes on in the process. */
interface Doing {
  readonly hook?: string;
  /** Resolves when it goes on. */
  readonly begin: (living: Living) => Promise<void>;
  /** What hooks say until the process has ended. */
  readonly hooks?: string;
}

const ONE_SESSION = 'start end ended ';
const bash = (command: string): object => ({ toolCalls: [{ name: 'bash', arguments: { command } }] });
const isThere = (place: CliPlace, name: string): Promise<void> =>
  until(() => existsSync(join(place.cwd, name)), `the file ${name}`);
const hooksSay = ({ cwd }: CliPlace): string =>
  existsSync(join(cwd, 'hooks')) ? readFileSync(join(cwd, 'hooks'), 'utf8') : '';

async function open({ place, editor }: Living, more: object = {}): Promise<string> {
  const sessionId = await editor.create(more);
  await until(() => hooksSay(place).includes('start'), 'the start of the session');
  return sessionId;
}

/** Sends a prompt, and another one that must never run. */
function prompt({ editor }: Living, sessionId: string): void {
  for (const text of ['first', 'second']) {
    editor.prompt(sessionId, text).catch(() => undefined); // The client may be gone.
  }
}

const DOING: Readonly<Record<string, Doing>> = {
  'nothing goes on': {
    begin: async living => {
      await open(living);
    },
  },
  'no session is open': { begin: () => Promise.resolve(), hooks: '' },
  'an answer streams': {
    begin: async living => {
      const held = living.llm.hold({ text: ['half ', 'an answer'] }, 4);
      prompt(living, await open(living));
      await held.reached;
    },
  },
  'a command runs': {
    begin: async living => {
      living.llm.reply(bash('touch running; sleep 600; touch never'));
      prompt(living, await open(living));
      await isThere(living.place, 'running');
    },
  },
  'a question is open': {
    begin: async living => {
      const { editor, llm } = living;
      editor.onPermission = () => NO_ANSWER;
      llm.reply(bash('touch never'));
      const sessionId = await open(living);
      await editor.request('session/set_mode', { sessionId, modeId: 'ask' });
      prompt(living, sessionId);
      await editor.until(() => editor.permissions.length === 1, 'the question');
    },
  },
  'a hook does not answer': {
    hook: HANGS,
    begin: async living => {
      living.llm.reply(bash('touch never'));
      prompt(living, await open(living));
      await isThere(living.place, 'asked');
    },
  },
  'a server of the client runs': {
    begin: async living => {
      const { place } = living;
      const args = [MCP_SERVER, JSON.stringify({ tools: [] })];
      await open(living, { mcpServers: [{ name: 'own', command: process.execPath, args, env: [] }] });
      await until(async () => (await place.processes()).length > 1, 'the server');
    },
  },
  'two folders are open': {
    begin: async living => {
      const { place, editor } = living;
      const cwd = join(place.root, 'other');
      mkdirSync(cwd);
      trustFolder(place.agentDir, place.root);
      await open(living);
      await editor.create({ cwd });
    },
  },
  'a session is being closed': {
    hook: SLOW_SHUTDOWN,
    begin: async living => {
      const sessionId = await open(living);
      living.editor.begin('session/close', { sessionId }).answer.catch(() => undefined);
      await until(() => hooksSay(living.place).includes('closing'), 'the end of the session');
    },
    hooks: 'start closing end ended ',
  },
  'a session is being opened': {
    hook: LOADS,
    begin: async ({ place, editor }) => {
      editor.create().catch(() => undefined);
      await isThere(place, 'loading');
    },
    hooks: '',
  },
};

/** A way in which the client goes. */
interface Way {
  readonly go: (editor: AcpEditor) => void;
  /** The process is started by another one, which goes. */
  readonly isRelayed?: true;
  /** All that goes on when absent. */
  readonly while?: readonly string[];
}

const WAYS: Readonly<Record<string, Way>> = {
  'stdin is closed': { go: editor => editor.closeStdin() },
  'SIGTERM comes': { go: editor => editor.kill('SIGTERM'), while: ['a command runs'] },
  'SIGINT comes': { go: editor => editor.kill('SIGINT'), while: ['a question is open'] },
  'stdout is closed': {
    go: editor => {
      editor.closeStdout();
      editor.begin('no/such', {}).answer.catch(() => undefined);
    },
    while: ['nothing goes on', 'an answer streams'],
  },
  'the client is killed': { go: editor => editor.kill('SIGKILL'), isRelayed: true },
};

describe('The process of ACP mode ends', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();
  let bystander: ChildProcess;
  beforeEach(() => place.hook('shutdown.ts', SHUTDOWN));
  before(() => {
    bystander = spawn('sleep', ['600']);
  });
  after(async () => {
    bystander.kill('SIGKILL');
    await once(bystander, 'exit');
  });

  for (const [way, { go, isRelayed, while: some }] of Object.entries(WAYS)) {
    for (const [what, { hook, begin, hooks = ONE_SESSION }] of Object.entries(DOING)) {
      if (some?.includes(what) === false) continue;
      it(`when ${way} while ${what}`, async () => {
        if (hook !== undefined) place.hook('more.ts', hook);
        const exitCode = join(place.root, 'exit-code');
        const relay = { cli: place.file('client.cjs', CLIENT), command: [exitCode, place.cliPath, 'acp'] };
        const args = ['--approve-tools', 'auto'];
        const editor = await AcpEditor.open(place, { args, ...(isRelayed === true ? relay : {}) });
        await begin({ place, llm, editor });
        const asked = llm.requests.length;

        go(editor);
        const { code } = await editor.gone;

        if (isRelayed === true) {
          await until(() => existsSync(exitCode) && readFileSync(exitCode, 'utf8') !== '', 'the exit code');
        }
        assert.equal(isRelayed === true ? Number(readFileSync(exitCode, 'utf8')) : code, 0, editor.stderr);
        assert.equal(editor.stderr, '');
        assert.equal(hooksSay(place), hooks);
        assert.equal(llm.requests.length, asked);
        assert.equal(existsSync(join(place.cwd, 'never')), false);
        await until(async () => (await place.processes()).length === 0, 'the end of all processes');
        assert.equal(bystander.exitCode ?? bystander.signalCode, null);
        for (const file of place.sessionFiles()) {
          const lines = readFileSync(file, 'utf8').split('\n');
          assert.equal(lines.pop(), '');
          for (const line of lines) JSON.parse(line);
        }
      });
    }
  }
});
