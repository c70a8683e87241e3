import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { guardPlace } from '../../src/guard/protocol/place';
import { stateFolder } from '../../src/startup/own-folders';
import { CliPlace, until, type Ended } from '../modes/support/cli';

const REASON = 'not on this machine';
const RULE = `export const REASON: string = ${JSON.stringify(REASON)};\n`;
const GATE = `import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
import { REASON } from '../rules/reason.ts';

enum Tool {
  Bash = 'bash',
}

export default function (pi: ExtensionAPI) {
  pi.on('tool_call', event => (event.toolName === Tool.Bash ? { block: true, reason: REASON } : undefined));
}
`;
const PACKED = GATE.replace(/import \{ REASON.*\n/, '').replace('REASON', "'says the package'");

/** The packed command line, installed as on arm64, under the Node that `scripts/arm64.ts` names. */
describe('the command line on arm64', () => {
  const node = process.env['HOOKLINE_TEST_ARM64_NODE'] ?? '';
  let place: CliPlace;
  beforeEach(async () => (place = await CliPlace.make()));
  afterEach(() => place.remove());

  const hookline = async (...args: readonly string[]): Promise<Ended> => {
    const result = await place.run(args, { node });
    assert.equal(result.code, 0, `${args.join(' ')}: ${result.stdout}${result.stderr}`);
    return result;
  };
  const hasMade = (name: string): boolean => existsSync(join(place.cwd, name));
  const addGate = (): void => {
    place.file('work/.pi/rules/reason.ts', RULE);
    place.hook('gate.ts', GATE);
  };

  it('starts, and finds what it needs', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    assert.equal((await hookline('--version')).stdout, `${version}\n`);
    const { stdout } = await hookline('doctor');
    assert.match(stdout, new RegExp(`^  System: ${process.platform} arm64,`, 'm'));
    assert.match(stdout, /^ {2}ripgrep: /m);
    assert.match(stdout, /^No problem was found\.$/m);
    const modules = join(dirname(dirname(place.cliPath)), 'node_modules', '@vscode');
    assert.ok(existsSync(join(modules, `ripgrep-${process.platform}-arm64`)), 'its ripgrep is for arm64');
  });

  it('runs a turn with a command, and saves the session', async () => {
    await hookline('-p', 'run `touch made`');
    assert.ok(hasMade('made'));
    assert.equal(place.sessionFiles().length, 1);
    assert.ok(JSON.stringify(place.entries()).includes('touch made'));
  });

  it('blocks a call by a TypeScript hook that imports a file', async () => {
    addGate();
    const { stdout } = await hookline('--mode', 'json', 'run `touch made`');
    assert.ok(stdout.includes(REASON), stdout);
    assert.equal(hasMade('made'), false);
  });

  it('installs a package from a folder, which blocks a call from then on', async () => {
    place.file(
      'gate-pack/package.json',
      '{ "name": "gate-pack", "version": "1.0.0", "pi": { "extensions": ["gate.ts"] } }',
    );
    place.file('gate-pack/gate.ts', PACKED);
    await hookline('install', join(place.root, 'gate-pack'));
    const { stdout } = await hookline('--mode', 'json', 'run `touch made`');
    assert.ok(stdout.includes('says the package'), stdout);
    assert.equal(hasMade('made'), false);
  });

  it('answers the clients of another agent from its host, with the hooks of the folder', async () => {
    addGate();
    const guard = guardPlace(stateFolder(place.env, process.platform, place.root));
    await hookline('guard', 'add', 'claude', '--yes');
    const host = place.start(['guard', 'serve'], { node });
    await until(() => existsSync(guard.endpoint), 'the host');
    for (const [program, file] of [
      ['bash', guard.client],
      [node, guard.nodeClient],
    ] as const) {
      const answer = JSON.parse(await askAsClaude(program, file)) as unknown;
      assert.deepEqual(answer, {
        hookSpecificOutput: {
          ...{ hookEventName: 'PreToolUse', permissionDecision: 'deny' },
          permissionDecisionReason: REASON,
        },
      });
    }
    assert.equal(host.exitCode, null, 'it was this host that answered');
  });

  /** What an installed client prints for a call of Claude Code. */
  const askAsClaude = (program: string, client: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const options = { cwd: place.cwd, env: place.env };
      const child = execFile(program, [client, 'claude', 'PreToolUse'], options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`${error.message}\n${stderr}`));
      });
      child.stdin?.end(
        JSON.stringify({
          ...{ session_id: 's1', cwd: place.cwd, hook_event_name: 'PreToolUse', tool_use_id: 't1' },
          ...{ tool_name: 'Bash', tool_input: { command: 'ls' } },
        }),
      );
    });
});
