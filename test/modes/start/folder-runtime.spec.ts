import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { defined } from '../../../src/base/defined';
import { RULES_FILE } from '../../../src/gate/rules/rule-store';
import type { ApprovalRule } from '../../../src/hook-contract/approvals/approval-rule';
import { clientServers } from '../../../src/mcp/config/client-servers';
import type { FolderRuntime } from '../../../src/modes/start/folder-runtime';
import { until } from '../../support/conversation-rig';
import { MCP_SERVER } from '../../support/scripted-mcp';
import { FolderRig, type Asked, type Talk } from './folder-rig';

/** Asks before each command, and tells what it hears of sessions. */
const ASKING = `export default pi => {
  globalThis.heardStarts ??= [];
  pi.on('session_start', (event, ctx) => void globalThis.heardStarts.push([ctx.cwd, event.reason]));
  pi.on('session_shutdown', (event, ctx) => void globalThis.heardStarts.push([ctx.cwd, 'shutdown']));
  pi.on('tool_call', async (event, ctx) => {
    const may = await ctx.ui.confirm('May it?', event.input.command);
    return may ? undefined : { block: true, reason: 'no' };
  });
}`;

describe('a folder with several conversations', function () {
  this.timeout(30_000);
  let rig: FolderRig;
  const heard = (): unknown[] => (globalThis as { heardStarts?: unknown[] }).heardStarts ?? [];

  beforeEach(async () => {
    rig = await FolderRig.start();
  });
  afterEach(async () => {
    await rig.stop();
    delete (globalThis as { heardStarts?: unknown[] }).heardStarts;
  });

  const cwdOf = ({ started }: Talk): string => started.conversation.ports.cwd;
  const ran = (talk: Talk, file: string): boolean => existsSync(join(cwdOf(talk), file));
  const askedIn = ({ questions }: Talk): Promise<Asked> => until(() => questions.at(-1), 'the question');

  for (const [where, names] of [
    ['one folder', ['a', 'a']],
    ['two folders', ['a', 'b']],
  ] as const) {
    it(`asks in each conversation for itself, however long another one waits: ${where}`, async () => {
      const opened = new Map<string, FolderRuntime>();
      for (const name of names) if (!opened.has(name)) opened.set(name, await rig.open(name, { 'ask.ts': ASKING }));
      const talks: Talk[] = [];
      for (const name of names) talks.push(await rig.talkIn(opened.get(name) as FolderRuntime));
      const [one, other] = talks as [Talk, Talk];
      const runs = [one.started.conversation.prompt('touch first'), other.started.conversation.prompt('touch second')];
      const [waiting, later] = [await askedIn(one), await askedIn(other)];
      assert.deepEqual([waiting.question.message, later.question.message], ['touch first', 'touch second']);
      later.answer(true);
      await runs[1];
      assert.deepEqual([ran(one, 'first'), ran(other, 'second')], [false, true]);
      waiting.answer(false);
      await runs[0];
      assert.equal(ran(one, 'first'), false);
      assert.deepEqual([one.questions.length, other.questions.length], [1, 1]);
    });
  }

  it('is guarded by its own hooks only', async () => {
    const block = `export default pi => pi.on('tool_call', () => ({ block: true, reason: 'not here' }));`;
    const guarded = await rig.talkIn(await rig.open('a', { 'block.ts': block }));
    const free = await rig.talkIn(await rig.open('b', {}));
    await Promise.all([guarded, free].map(({ started }) => started.conversation.prompt('touch it')));
    assert.deepEqual([ran(guarded, 'it'), ran(free, 'it')], [false, true]);
  });

  it('starts commands without the colors that packages of another folder load with', async () => {
    const { FORCE_COLOR, NO_COLOR } = process.env;
    delete process.env['FORCE_COLOR'];
    delete process.env['NO_COLOR'];
    try {
      const talk = await rig.talkIn(await rig.open('a', {}));
      const slow = `globalThis.heardStarts = [process.env.FORCE_COLOR];
      await new Promise(done => globalThis.heardStarts.push(done));`;
      const opening = rig.open('b', {
        'uses.ts': `import 'slow'; export default () => undefined;`,
        'node_modules/slow/package.json': '{ "name": "slow", "type": "module", "exports": "./index.js" }',
        'node_modules/slow/index.js': slow,
      });
      const [level, done] = await until(() => (heard().length === 2 ? heard() : undefined), 'the package');
      await talk.started.conversation.prompt('printenv > during');
      (done as () => void)();
      await opening;
      assert.equal(level, '3');
      const printed = readFileSync(join(cwdOf(talk), 'during'), 'utf8');
      assert.match(printed, /^PATH=/m);
      assert.doesNotMatch(printed, /^FORCE_COLOR=/m);
      assert.equal('FORCE_COLOR' in process.env, false);
    } finally {
      Object.assign(process.env, defined({ FORCE_COLOR, NO_COLOR }));
    }
  });

  it('asks no more where a session of the folder was allowed always, also if another folder stores a rule meanwhile', async () => {
    const argv = ['--approve', '--approve-tools', 'ask'];
    const [a, b] = [await rig.open('a', {}, argv), await rig.open('b', {}, argv)];
    const [one, second, other] = [await rig.talkIn(a), await rig.talkIn(a), await rig.talkIn(b)];
    const allowed = [one, other].map(async talk => {
      const running = talk.started.conversation.prompt('touch it');
      const { question, answer } = await askedIn(talk);
      const { dialog } = question;
      const always = dialog.type === 'select' && dialog.options.find(each => each.startsWith('Allow always here'));
      assert.ok(always);
      answer(always);
      await running;
    });
    await Promise.all(allowed);
    const third = await rig.talkIn(b);
    for (const talk of [second, third]) {
      rmSync(join(cwdOf(talk), 'it'));
      await talk.started.conversation.prompt('touch it');
      assert.deepEqual([ran(talk, 'it'), talk.questions.length], [true, 0]);
    }
    const stored = JSON.parse(readFileSync(join(rig.root, 'agent', RULES_FILE), 'utf8')) as { rules: ApprovalRule[] };
    assert.deepEqual(stored.rules.map(({ folder }) => folder).sort(), [cwdOf(one), cwdOf(other)]);
  });

  it('gives hooks one startup, then each new session, and the end of those that ended', async () => {
    const folder = await rig.open('a', { '../extensions/ask.ts': ASKING });
    const cwd = join(rig.root, 'a');
    const first = await rig.talkIn(folder);
    const second = await rig.talkIn(folder);
    assert.deepEqual(heard(), [
      [cwd, 'startup'],
      [cwd, 'new'],
    ]);
    await first.started.end();
    assert.deepEqual(heard().slice(2), [[cwd, 'shutdown']]);
    assert.deepEqual(folder.conversations, [second.started]);
    await second.started.conversation.prompt('hello');
    await folder.dispose();
    assert.deepEqual(heard().slice(3), [[cwd, 'shutdown']]);
  });

  it('tells an error of a hook where it happened, and where the user was last when nobody knows that', async () => {
    const fails = `export default pi => {
      pi.on('agent_end', () => { throw new Error('at the end'); });
      globalThis.heardStarts = [() => pi.events.emit('late', {})];
      pi.events.on('late', () => { throw new Error('late'); });
    }`;
    const folder = await rig.open('a', { 'fails.ts': fails });
    const [one, other] = [await rig.talkIn(folder), await rig.talkIn(folder)];
    await one.started.conversation.prompt('hello');
    assert.match(one.errors.join(), /at the end/);
    assert.deepEqual(other.errors, []);
    one.started.activate();
    (heard()[0] as () => void)();
    await until(() => (one.errors.length > 1 ? true : undefined), 'the late error');
    assert.match(one.errors[1] ?? '', /late/);
    assert.deepEqual(other.errors, []);
  });

  it('lets a hook decline that another session opens', async () => {
    const folder = await rig.open('a', {
      'no.ts': `export default pi => pi.on('session_before_switch', ({ reason }) => ({ cancel: reason === 'new' }));`,
    });
    assert.equal(await folder.mayOpen({ reason: 'new' }), true);
    await rig.talkIn(folder);
    assert.equal(await folder.mayOpen({ reason: 'new' }), false);
    assert.equal(await folder.mayOpen({ reason: 'resume', targetSessionFile: join(rig.root, 'x.jsonl') }), true);
  });

  it('ends what its hooks opened, and leaves that of another folder alone', async () => {
    const opens = `import { createServer } from 'node:net';
    export default pi => {
      const here = { ticks: 0, port: 0 };
      (globalThis.heardStarts ??= []).push(here);
      setInterval(() => (here.ticks += 1), 5);
      const server = createServer(socket => socket.end()).listen(0, '127.0.0.1', () => (here.port = server.address().port));
    }`;
    const ending = await rig.open('a', { 'opens.ts': opens });
    const going = await rig.open('b', { 'opens.ts': opens });
    const [one, other] = heard() as [Opened, Opened];
    for (const each of [one, other]) await until(() => (each.port > 0 && each.ticks > 0 ? true : undefined), 'both');
    const talk = await rig.talkIn(going);
    await rig.talkIn(ending);
    await ending.dispose();
    const { ticks } = one;
    const since = other.ticks;
    await until(() => (other.ticks > since + 2 ? true : undefined), 'the timer of the other folder');
    assert.equal(one.ticks, ticks);
    assert.equal(await isListening(one.port), false);
    assert.equal(await isListening(other.port), true);
    await talk.started.conversation.prompt('touch it');
    assert.equal(ran(talk, 'it'), true);
  });

  it('lets go of a conversation that ended', async () => {
    const folder = await rig.open('a', { 'ask.ts': ASKING });
    await rig.talkIn(folder);
    const ended = await (async () => {
      const talk = await rig.talkIn(folder);
      await talk.started.conversation.prompt('hello');
      await talk.started.end();
      return new WeakRef(talk.started.conversation);
    })();
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    await until(() => {
      collect();
      return ended.deref() === undefined ? true : undefined;
    }, 'the conversation to be freed');
    assert.equal(folder.conversations.length, 1);
  });

  it('counts further folders as the workspace of the conversation alone that was opened with them', async () => {
    const folder = await rig.open('a', {});
    rig.write('more/it', '');
    const more = join(rig.root, 'more');
    const approvals = { defaultMode: () => 'ask' as const, isLocked: () => false, folders: [more] };
    const [one, other] = [await rig.talkIn(folder, { approvals }), await rig.talkIn(folder)];
    const foldersOf = ({ started }: Talk): unknown => started.conversation.forHooks.approvals?.folders;
    assert.deepEqual([foldersOf(one), foldersOf(other)], [[more], []]);
  });

  it('tells a broken server of a client where it was given, and goes on', async () => {
    const folder = await rig.open('a', {});
    const mcpServers = clientServers([
      { name: 'broken', command: join(rig.root, 'no-such-program') },
      { name: 'fine', command: process.execPath, args: [MCP_SERVER, JSON.stringify({ tools: ['t'] })] },
    ]);
    const [one, other] = [await rig.talkIn(folder, { mcpServers }), await rig.talkIn(folder)];
    await until(() => one.problems[0], 'the warning');
    assert.match(one.problems.join('\n'), /^Warning: MCP server "broken" failed: .*cannot be started/);
    assert.deepEqual(other.problems, []);
    await one.started.conversation.ports.mcp?.ready(undefined);
    assert.ok(one.started.conversation.toolset.all().some(({ name }) => name === 'mcp__fine__t'));
    assert.ok(!other.started.conversation.toolset.all().some(({ name }) => name.startsWith('mcp__')));
    await one.started.conversation.prompt('touch it');
    assert.equal(ran(one, 'it'), true);
  });

  it('uses no server of a client where there are to be none', async () => {
    const folder = await rig.open('a', {}, ['--approve', '--no-mcp']);
    const mcpServers = clientServers([{ name: 'x', command: process.execPath }]);
    const { problems, started } = await rig.talkIn(folder, { mcpServers });
    assert.deepEqual(problems, ['Warning: the MCP servers of the client are not used, because of --no-mcp.']);
    assert.equal(started.conversation.ports.mcp, undefined);
  });
});

/** What a hook of these tests keeps open. */
interface Opened {
  readonly ticks: number;
  readonly port: number;
}

function isListening(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
