import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { GuardRecord } from '../../../src/guard/protocol/agent-call';
import type { AgentRecord } from '../../../src/modes/guard/status/status-record';
import { WITHOUT_PARENTS } from '../../support/as-person';
import { CliPlace, ended, until, type Ended } from '../support/cli';
import { TERMINAL } from '../support/terminal-program';

const OTHERS = '{\n  // mine\n  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}\n}\n';
const BLOCK = "export default pi => pi.on('tool_call', () => ({ block: true, reason: 'not in this project' }));\n";

describe('hookline guard', function () {
  this.timeout(120_000);
  let place: CliPlace;
  beforeEach(async () => (place = await CliPlace.make()));
  afterEach(async () => {
    await place.endLeft(); // The host is no child of the test.
    await place.remove();
  });

  const env = (): Record<string, string> => ({ XDG_STATE_HOME: join(place.root, 'state') });
  const guard = (words: string, more: Record<string, string> = {}): Promise<Ended> =>
    place.run(['guard', ...words.split(' ')], { env: { ...env(), ...more } });
  const guardFile = (name: string): string => join(place.root, 'state', 'hookline', 'guard', name);
  const settings = (): string => join(place.root, '.claude', 'settings.json');
  const inTerminal = (words: string, answer: string): Promise<Ended> => {
    const command = JSON.stringify([process.execPath, ...WITHOUT_PARENTS, place.cliPath, 'guard', ...words.split(' ')]);
    return ended(place.start(['-e', TERMINAL, command, answer], { cli: '--no-warnings', env: env() }));
  };
  /** Runs the installed client as Claude Code does. */
  const client = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const options = { cwd: place.cwd, env: { ...place.env, ...env() } };
      const child = execFile('bash', [guardFile('client.sh'), 'claude', 'PreToolUse'], options, (error, stdout) => {
        if (error === null) resolve(stdout);
        else reject(new Error(error.message));
      });
      child.stdin?.end(
        JSON.stringify({
          ...{ session_id: 's1', cwd: place.cwd, hook_event_name: 'PreToolUse', tool_use_id: 't1' },
          ...{ tool_name: 'Bash', tool_input: { command: 'ls' } },
        }),
      );
    });

  it('adds an agent, changes nothing the second time, and takes exactly that out again', async () => {
    place.file('.claude/settings.json', OTHERS);
    const first = await guard('add claude --yes');
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /^\+.*client\.sh' claude PreToolUse/m, 'the change is shown');
    assert.match(first.stdout, /Cannot be guarded: .*--bare/);
    const written = readFileSync(settings(), 'utf8');
    assert.ok(written.includes('// mine') && written.includes('say done'), 'what is not ours stays');
    assert.equal(statSync(guardFile('client.sh')).mode & 0o777, 0o700);
    assert.ok(readFileSync(guardFile('program'), 'utf8').includes(`cli ${place.cliPath}`));
    const second = await guard('add claude --yes --gate ask');
    assert.match(second.stdout, /as it should be.*built-in gate \(ask\)/s);
    assert.equal(readFileSync(settings(), 'utf8'), written);
    assert.match((await guard('remove claude --yes')).stdout, /^Claude Code is not guarded any more\.$/m);
    assert.equal(readFileSync(settings(), 'utf8'), OTHERS);
    const again = await guard('remove claude');
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stdout, /\nHookline is not in its configuration\.\n\n$/);
  });

  it('writes nothing without a yes', async () => {
    place.file('.claude/settings.json', OTHERS);
    const silent = await guard('add claude');
    assert.equal(silent.code, 1);
    assert.match(silent.stderr, /guard add needs a terminal to ask in, or --yes/);
    assert.equal((await inTerminal('add claude', 'no')).code, 1);
    assert.equal(readFileSync(settings(), 'utf8'), OTHERS);
    assert.equal(existsSync(guardFile('client.sh')), false);
    assert.equal((await inTerminal('add claude', 'yes')).code, 0);
    assert.notEqual(readFileSync(settings(), 'utf8'), OTHERS);
  });

  it('names a configuration that it cannot read, and leaves it', async () => {
    place.file('.claude/settings.json', '{ "hooks": [');
    const { code, stderr } = await guard('add claude --yes');
    assert.equal(code, 1);
    assert.ok(stderr.includes(settings()), stderr);
    assert.equal(readFileSync(settings(), 'utf8'), '{ "hooks": [');
  });

  it('ends as usual when the reader of its output has read enough', async () => {
    const child = place.start(['guard', 'status'], { env: env() });
    child.stdout.destroy();
    const { code, stderr } = await ended(child);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  });

  it('lets agents look, and nothing else', async () => {
    for (const words of ['add claude --yes', 'remove all --yes', 'watch']) {
      const { code, stderr } = await guard(words, { CLAUDECODE: '1' });
      assert.equal(code, 1, words);
      assert.match(stderr, /Claude Code runs this command \(CLAUDECODE is set\), and only you can/);
    }
    assert.equal(existsSync(settings()), false);
    for (const words of ['status', 'log', 'help', 'add --help']) {
      assert.equal((await guard(words, { CLAUDECODE: '1' })).code, 0, words);
    }
  });

  it('says in its status what keeps an agent from being guarded', async () => {
    assert.match((await guard('status claude')).stdout, /not guarded; to guard it, run "hookline guard add claude"/);
    assert.equal((await guard('status claude')).code, 1, 'it was named');
    await guard('add claude --yes');
    const fine = await guard('status');
    assert.equal(fine.code, 0, fine.stdout);
    assert.match(fine.stdout, /guarded, in .*settings\.json\n {2}no call is in the log\nNo host runs/);
    const off = place.file('work/.claude/settings.json', '{\n  "disableAllHooks": true\n}\n');
    const switched = await guard('status');
    assert.equal(switched.code, 1);
    assert.ok(switched.stdout.includes(`disableAllHooks in ${off}:2`), switched.stdout);
    place.file('work/.claude/settings.json', '{}');
    place.file('.claude/settings.json', '{}');
    const gone = await guard('status');
    assert.equal(gone.code, 1);
    assert.match(gone.stdout, /does not call Hookline any more; run "hookline guard add claude"/);
  });

  it('guards a version that no test ran, and says so everywhere', async () => {
    chmodSync(place.file('bin/claude', '#!/bin/sh\necho "999.0.0 (Claude Code)"\n'), 0o755);
    const PATH = [join(place.root, 'bin'), process.env['PATH']].join(delimiter);
    const name = /^Claude Code 999\.0\.0 \(not tested: newer than \d+\.\d+\.\d+, the newest version that was\)/m;
    const added = await guard('add claude --yes', { PATH });
    assert.match(added.stdout, name);
    assert.match(added.stdout, /^Claude Code is guarded by your hooks\.$/m);
    const status = await guard('status claude', { PATH });
    assert.deepEqual([status.code, name.test(status.stdout)], [0, true]);
    const { code, stdout } = await guard('status --json claude', { PATH });
    const { agent, version, tested, isGuarded, problems } = JSON.parse(stdout) as AgentRecord;
    assert.deepEqual(
      { code, agent, version, tested, isGuarded, problems },
      { code: 0, agent: 'claude', version: '999.0.0', tested: 'newer', isGuarded: true, problems: [] },
    );
    const fired = await guard('check --fire claude', { PATH });
    assert.match(fired.stdout, new RegExp(`${name.source}: UNKNOWN\\. The agent did not ask the model`, 'm'));
  });

  it('says of Cursor that it was not tried, and does not fire it', async () => {
    const note = 'Cursor (not found on this machine; not tried: made from its documentation)';
    const { code, stdout } = await guard('add cursor --yes', { PATH: '/usr/bin:/bin' });
    assert.equal(code, 0, stdout);
    assert.ok(stdout.includes(note), stdout);
    assert.match(stdout, /^Cannot be guarded: Cursor was not tried with Hookline/m);
    const fired = await guard('check --fire cursor', { PATH: '/usr/bin:/bin' });
    assert.equal(fired.code, 1);
    assert.match(fired.stdout, /^Cursor \(.*not tried.*\): UNKNOWN\. Hookline cannot start it without its user/m);
    const status = await guard('status --json cursor', { PATH: '/usr/bin:/bin' });
    const { tested, isGuarded, testedVersion } = JSON.parse(status.stdout) as AgentRecord;
    assert.deepEqual(
      { tested, isGuarded, testedVersion },
      { tested: 'untried', isGuarded: true, testedVersion: undefined },
    );
    assert.equal((await guard('remove cursor --yes')).code, 0);
    assert.equal(existsSync(join(place.root, '.cursor', 'hooks.json')), false);
  });

  it('prints the log, the newest last, and counts what it cannot read', async () => {
    const record = (event: string, agent: GuardRecord['agent']): GuardRecord => ({
      ...{ at: 1, agent, session: 's', folder: '/work', event, verdict: 'passed', ms: 1, askedMs: 0 },
    });
    const lines = [record('one', 'claude'), record('two', 'codex'), record('three', 'claude')];
    place.file('state/hookline/guard/log.jsonl', `${lines.map(line => JSON.stringify(line)).join('\n')}\n{"at":`);
    const all = await guard('log');
    assert.deepEqual(all.stdout.match(/one|two|three/g), ['one', 'two', 'three']);
    assert.match(all.stderr, /1 lines of .*log\.jsonl cannot be read/);
    const last = await guard('log -n 1 --json claude');
    assert.deepEqual(JSON.parse(last.stdout), lines[2]);
  });

  it('blocks with the reason of a hook, starts its host again, and says why nothing can be checked', async () => {
    place.hook('gate.ts', BLOCK);
    await guard('add claude --yes');
    assert.match(await client(), /"permissionDecision":"deny".*not in this project/);
    assert.match((await guard('log')).stdout, /bash: ls – blocked by gate\.ts: not in this project/);
    const pid = Number(/^pid (\d+)$/m.exec(readFileSync(guardFile('endpoint'), 'utf8'))?.[1]);
    process.kill(pid, 'SIGKILL');
    // Its port may take calls until it is gone; none of them may pass.
    await until(async () => {
      const answer = await client();
      assert.match(answer, /"permissionDecision":"deny"/);
      return answer.includes('not in this project');
    }, 'another host');
    await place.endLeft();
    place.file('state/hookline/guard/program', 'node /missing\ncli /missing\n');
    assert.match(await client(), /"permissionDecision":"deny".*Hookline could not check this, because/);
  });

  it('tries the client, with and without a host', async () => {
    await guard('add claude --yes');
    const { code, stdout } = await guard('check');
    assert.equal(code, 0, stdout);
    assert.match(stdout, /The client gets the answers of the host\.\nWithout a host, the client denies a call\.\n$/);
  });

  it('tries no client where nothing is guarded, and starts no host for it', async () => {
    const { code, stdout } = await guard('check');
    assert.equal(code, 0, stdout);
    assert.match(stdout, /There is no client to try: "hookline guard add" installs it\./);
    assert.equal(existsSync(guardFile('endpoint')), false);
  });

  it('says in its status which file the client or its host lacks, and that adding the agents again mends it', async () => {
    await guard('add claude copilot --yes');
    place.file('state/hookline/guard/program', `node /missing/node\ncli ${place.cliPath}\n`);
    const noNode = await guard('status');
    assert.equal(noNode.code, 1, noNode.stdout);
    assert.match(
      noNode.stdout,
      /^! the host cannot start: \/missing\/node is not there; run "hookline guard add claude copilot"$/m,
    );
    rmSync(guardFile('client.sh'));
    const noClient = await guard('check claude');
    assert.equal(noClient.code, 1, noClient.stdout);
    assert.match(noClient.stdout, /^! nothing is checked: .*client\.sh is not there; run "hookline guard add/m);
    await guard('add claude --yes');
    assert.equal((await guard('status')).code, 0);
  });
});
