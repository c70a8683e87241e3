import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../../../../scripts/support/paths.ts';
import { silentLog } from '../../../../src/base/log';
import type { GuardedEvent, EventAnswer } from '../../../../src/guard/agents/agent';
import type { AgentReply, GuardRecord } from '../../../../src/guard/protocol/agent-call';
import { ApprovalStore } from '../../../../src/gate/approval-store/approval-store';
import { HookLog } from '../../../../src/hook-insight/recording/hook-log';
import { LogFile } from '../../../../src/hook-insight/recording/log-file';
import { OwnFolder } from '../../../../src/modes/guard/serve/own-folder';
import { DialogQueue } from '../../../../src/session/ports/dialogs';
import { until } from '../../../support/hook-host';
import { bash, plainContract, resultOf } from '../../../guard/calls/guard-rig';

const blockWith = (reason: string, command = ''): string =>
  `export default pi => pi.on('tool_call', event => event.toolName === 'bash' && event.input.command.includes('${command}') ? { block: true, reason: '${reason}' } : undefined);\n`;

/** A folder of the host on disk, in which an agent works. */
class Place {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'hookline guard ä ')));
  readonly cwd = join(this.root, 'work');
  readonly printed: string[] = [];
  readonly noted: GuardRecord[] = [];
  readonly hookLog = new HookLog({ file: new LogFile(join(this.root, 'state', 'hook-log.jsonl')) });
  readonly opened: OwnFolder[] = [];
  private calls = 0;

  write(path: string, text: string): void {
    const full = join(this.root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
  }

  trust(): void {
    this.write('agent/trust.json', JSON.stringify({ [this.cwd]: true }));
  }

  async open(): Promise<OwnFolder> {
    mkdirSync(this.cwd, { recursive: true });
    const env = { ...process.env, HOME: join(this.root, 'home'), PI_CODING_AGENT_DIR: join(this.root, 'agent') };
    const folder = await OwnFolder.open(
      this.cwd,
      { dialogs: new DialogQueue(), canAsk: () => false, note: record => void this.noted.push(record) },
      {
        env,
        caller: { env, ppid: 1 },
        code: {
          distDir: join(ROOT, 'dist'),
          jitiDir: join(ROOT, 'node_modules/jiti/dist'),
          storageDir: join(this.root, 'storage'),
          stateDir: join(this.root, 'state'),
          version: '0.0.0',
        },
        printError: text => this.printed.push(text),
        log: silentLog,
        contractOf: id => plainContract(id, { asks: false }),
        guardedFiles: () => undefined,
        gateModes: () => Promise.resolve({}),
        hookLog: this.hookLog,
      },
    );
    this.opened.push(folder);
    return folder;
  }

  /** What becomes of a new call of `bash`, and of its result. */
  async ask(folder: OwnFolder, command = 'true'): Promise<EventAnswer> {
    const { call, output } = await this.begin(folder, command);
    const answer = output === '' ? {} : (JSON.parse(output) as EventAnswer);
    if (answer.deny === undefined) await this.send(folder, resultOf(call, 'done'));
    return answer;
  }

  /** The call, and what is answered to it; without its result. */
  async begin(
    folder: OwnFolder,
    command: string,
    parentPid?: number,
  ): Promise<AgentReply & { readonly call: GuardedEvent }> {
    const call = bash(command, { cwd: this.cwd, toolCallId: `t${(this.calls += 1)}` });
    return { call, ...(await this.send(folder, call, parentPid)) };
  }

  /** Whether what changes now counts as a change by the agent. */
  isAtCall(): boolean {
    const place = { stateDir: join(this.root, 'state'), agentDir: join(this.root, 'agent'), cwd: this.cwd };
    return new ApprovalStore(place).runsAtCall('folder').length > 0;
  }

  send(folder: OwnFolder, event: GuardedEvent, parentPid = 0): Promise<AgentReply> {
    const call = { agent: event.agent, event: event.name, payload: '', parentPid, cwd: this.cwd, variables: {} };
    return folder.handle(event, call, new AbortController().signal);
  }

  async remove(): Promise<void> {
    await Promise.all(this.opened.map(folder => folder.end()));
    this.hookLog.dispose();
    rmSync(this.root, { recursive: true, force: true });
  }
}

describe('a folder whose hooks the host of the guard calls', function () {
  this.timeout(60_000);
  let place: Place;
  beforeEach(() => (place = new Place()));
  afterEach(() => place.remove());

  it('has its hooks as they are on disk at each call', async () => {
    place.trust();
    place.write('work/.pi/hooks/gate.ts', blockWith('first'));
    const folder = await place.open();
    assert.equal((await place.ask(folder)).deny, 'first');
    place.write('work/.pi/hooks/gate.ts', blockWith('other'));
    assert.equal((await place.ask(folder)).deny, 'other');
    rmSync(join(place.cwd, '.pi/hooks/gate.ts'));
    place.write('work/.pi/extensions/again/index.ts', blockWith('again'));
    assert.equal((await place.ask(folder)).deny, 'again');
    place.write('work/.pi/extensions/again/index.ts', blockWith('later'));
    assert.equal((await place.ask(folder)).deny, 'later');
  });

  it('has the hooks of the person, and follows their settings', async () => {
    place.write('elsewhere/gate.ts', blockWith('of the person'));
    const folder = await place.open();
    place.write('agent/settings.json', JSON.stringify({ extensions: [join(place.root, 'elsewhere/gate.ts')] }));
    assert.equal((await place.ask(folder)).deny, 'of the person');
  });

  it('has the hooks of the folder itself, not those of folders above it', async () => {
    place.write('.pi/hooks/gate.ts', blockWith('above'));
    place.write('agent/trust.json', JSON.stringify({ [place.root]: true }));
    assert.deepEqual(await place.ask(await place.open()), {});
  });

  it('denies what hooks would check that nobody has trusted, until somebody does', async () => {
    place.write('work/.pi/hooks/gate.ts', `${blockWith('blocked')}\n;(globalThis as any).ran = true;\n`);
    const folder = await place.open();
    const { deny = '' } = await place.ask(folder);
    assert.match(deny, /gate\.ts checks tool calls, but is held back: this folder is not trusted/);
    assert.match(deny, /run "hookline trust" in it/);
    assert.equal('ran' in globalThis, false, 'nothing of the folder runs');
    place.trust();
    assert.equal((await place.ask(folder)).deny, 'blocked');
    Reflect.deleteProperty(globalThis, 'ran');
    place.write('agent/trust.json', '{}');
    assert.match((await place.ask(folder)).deny ?? '', /held back/);
  });

  it('denies what a hook would check that does not load', async () => {
    place.trust();
    place.write('work/.pi/hooks/gate.ts', `${blockWith('x')}\nthrow new Error('broken');\n`);
    assert.match((await place.ask(await place.open())).deny ?? '', /gate\.ts checks tool calls, but failed to load/);
  });

  it('denies calls while the folder is not there, since nobody knows which hooks would look', async () => {
    place.trust();
    place.write('work/.pi/hooks/gate.ts', blockWith('first'));
    const folder = await place.open();
    rmSync(place.cwd, { recursive: true });
    assert.match((await place.ask(folder)).deny ?? '', /could not read the hooks of .*work: The folder is not there/);
    place.write('work/.pi/hooks/gate.ts', blockWith('again'));
    assert.equal((await place.ask(folder)).deny, 'again');
  });

  it('puts back what a call changed of its guard before the agent goes on, and says so in the log', async () => {
    place.trust();
    const folder = await place.open();
    const client = join(place.root, 'state', 'guard', 'client.sh');
    const settings = join(place.cwd, '.claude', 'settings.json');
    const hook = join(place.root, 'agent', 'hooks', 'gate.ts');
    place.write('state/guard/guarded.json', '{ "claude": { "scope": "user", "gate": "off" } }\n');
    place.write('state/guard/client.sh', 'exec true\n');
    place.write('agent/hooks/gate.ts', blockWith('no', 'forbidden'));
    const { call, records: before } = await place.begin(folder, 'true');
    assert.deepEqual(
      before.map(({ verdict }) => verdict),
      ['passed'],
    );
    place.write('state/guard/client.sh', 'exit 0\n');
    place.write('work/.claude/settings.json', '{ "disableAllHooks": true, "model": "haiku" }\n');
    place.write('agent/trust.json', '{}');
    rmSync(hook);
    await place.send(folder, resultOf(call, 'done'));
    assert.equal(readFileSync(client, 'utf8'), 'exec true\n');
    assert.deepEqual(JSON.parse(readFileSync(settings, 'utf8')), { model: 'haiku' });
    assert.deepEqual(place.noted.map(({ verdict, undone }) => [verdict, undone]).sort(), [
      ['blocked', client],
      ['blocked', settings],
    ]);
    for (const path of [client, settings]) assert.ok(place.printed.join('\n').includes(path), path);
    assert.equal((await place.ask(folder, 'forbidden')).deny, 'no', 'the hook that the call removed still decides');
  });

  it('puts back what a call changed of its guard, and says so in the log, when the agent ends before the result', async () => {
    place.trust();
    const folder = await place.open();
    const client = join(place.root, 'state', 'guard', 'client.sh');
    place.write('state/guard/client.sh', 'exec true\n');
    const agent = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    await once(agent, 'spawn');
    const { call } = await place.begin(folder, 'true', agent.pid);
    agent.stdin.end();
    await once(agent, 'exit');
    place.write('state/guard/client.sh', 'exit 0\n');
    await until(() => !folder.isInUse(), 'the end of the session');
    await until(() => place.noted.length > 0, 'the line of the log');
    assert.equal(readFileSync(client, 'utf8'), 'exec true\n');
    const [record] = place.noted;
    assert.deepEqual([record?.undone, record?.session], [client, call.sessionId]);
    assert.deepEqual(record?.toolCallId, call.type === 'tool_call' && call.toolCallId);
  });

  it('takes what a person changes for the person’s after a call that the agent’s end has left without a result', async () => {
    place.trust();
    place.write('work/.pi/hooks/gate.ts', blockWith('first', 'forbidden'));
    const folder = await place.open();
    const agent = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    await once(agent, 'spawn');
    await place.begin(folder, 'true', agent.pid);
    agent.stdin.end();
    await until(() => !place.isAtCall(), 'the end of the call');
    place.write('work/.pi/hooks/gate.ts', blockWith('other', 'forbidden'));
    place.write('work/.pi/hooks/broken.ts', `${blockWith('x')}\n(`);
    assert.match((await place.ask(folder)).deny ?? '', /broken\.ts checks tool calls, but failed to load/);
    rmSync(join(place.cwd, '.pi/hooks/broken.ts'));
    assert.equal((await place.ask(folder, 'forbidden')).deny, 'other');
    rmSync(join(place.cwd, '.pi/hooks/gate.ts'));
    assert.deepEqual(await place.ask(folder, 'forbidden'), {});
  });

  it('says of calls that hooks wait for approval, and how a person approves them', async () => {
    place.trust();
    const gate = join(place.cwd, '.pi/hooks/gate.ts');
    const broken = `${blockWith('no', 'forbidden')}\n(`;
    place.write('work/.pi/hooks/gate.ts', broken);
    const folder = await place.open();
    await place.ask(folder);
    rmSync(gate);
    const { output } = await place.begin(folder, 'true');
    assert.equal(output, '', 'a person took away the gate that did not load');
    place.write('work/.pi/hooks/gate.ts', blockWith('no', 'forbidden'));
    const { output: passed, records } = await place.begin(folder, 'true');
    assert.equal(passed, '', 'what a tool made does not run');
    assert.equal(folder.waitingHooks(), 1);
    assert.match(records[0]?.reason ?? '', /^a hook waits for approval \(see "hookline hooks diff"/);
  });

  it('keeps the calls of its hooks in the hook log', async () => {
    place.trust();
    place.write('work/.pi/hooks/gate.ts', blockWith('first'));
    await place.ask(await place.open(), 'echo one');
    await place.hookLog.flush();
    const log = join(place.root, 'state', 'hook-log.jsonl');
    assert.ok(existsSync(log) && readFileSync(log, 'utf8').includes('echo one'));
  });
});
