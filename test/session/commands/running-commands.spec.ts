import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentMessage, ToolResultMessage } from '../../../src/agent/messages';
import type { RunningCommand } from '../../../src/session/commands/running-command';
import { recordedCommandEnd } from '../../../src/transcript/command-end';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

/** Prints, waits until the file `go` exists, and prints again. */
const WAITS = 'echo before; while [ ! -e go ]; do sleep 0.02; done; echo after';
const MB = 1024 * 1024;
const DONE: Script = { text: 'done' };
const bash = (id: string, command: string, more: object = {}): Script => ({
  calls: [{ id, name: 'bash', args: { command, ...more } }],
});

/** Counts results, and hides a word in them. */
const REDACTS = `export default pi => {
  globalThis.seenResults = [];
  pi.on('tool_result', async event => {
    globalThis.seenResults.push({ id: event.toolCallId, stillRunning: event.details?.stillRunning });
    return { content: event.content.map(part => part.type === 'text' ? { ...part, text: part.text.replaceAll('secret', '***') } : part) };
  });
};\n`;

describe('a command that runs on after its call', () => {
  let rig: Rig;
  afterEach(() => rig.close());

  const open = async (script: readonly Script[], options: RigOptions = {}): Promise<void> => {
    rig = await Rig.open(script, { keepsCommands: true, ...options });
  };
  const commands = () => {
    const { commands } = rig.conversation;
    assert.ok(commands);
    return commands;
  };
  /** The command of a call once it has printed this. */
  const printed = (id: string, text: string): Promise<RunningCommand> =>
    until(() => {
      const command = commands().get(id);
      return command?.outputFrom(0).text.includes(text) === true ? command : undefined;
    }, `${id} to print ${text}`);
  /** Sends a prompt, and lets the command of this call run on when it has printed something. */
  const runOn = async (id: string, text = 'before'): Promise<RunningCommand> => {
    const sent = rig.chat.submit('go');
    const command = await printed(id, text);
    commands().runOn(id);
    await sent;
    return command;
  };
  const go = (): void => writeFileSync(join(rig.cwd, 'go'), '');
  const gone = (): Promise<true> => until(() => commands().all.length === 0 || undefined, 'the end of all commands');
  const messages = (): readonly AgentMessage[] => rig.conversation.run.agent.messages;
  const resultOf = (id: string): ToolResultMessage => {
    const results = messages().filter(message => message.role === 'toolResult' && message.toolCallId === id);
    assert.equal(results.length, 1, 'each call has one result');
    return results[0] as ToolResultMessage;
  };
  const textOf = (content: unknown): string =>
    typeof content === 'string' ? content : (content as { text?: string }[]).map(({ text }) => text ?? '').join('');
  const ends = () =>
    messages().flatMap(message => {
      const end = message.role === 'custom' ? recordedCommandEnd(message) : undefined;
      return end === undefined || message.role !== 'custom' ? [] : [{ ...end, text: textOf(message.content) }];
    });
  const detailsOf = (id: string): { stillRunning?: boolean; fullOutputPath: string } =>
    resultOf(id).details as { stillRunning?: boolean; fullOutputPath: string };

  it('returns its output so far at once, is told to the model with the next prompt, and then alone', async () => {
    await open([bash('c', WAITS), DONE, DONE]);
    const command = await runOn('c');
    assert.equal(command.state, 'runningOn');
    const text = textOf(resultOf('c').content);
    assert.match(text, /^before\n\[The user does not wait for this command\. It still runs, with the id c, /);
    assert.equal(text.includes('after'), false);
    assert.equal(detailsOf('c').stillRunning, true);
    assert.equal(resultOf('c').isError, false);
    assert.equal(rig.model.requests.length, 2);
    go();
    await gone();
    assert.equal(rig.conversation.run.isIdle, true, 'the end of a command begins no run');
    assert.equal(rig.model.requests.length, 2);
    assert.equal(readFileSync(detailsOf('c').fullOutputPath, 'utf8'), 'before\nafter\n');
    const [end] = ends();
    assert.deepEqual([end?.toolCallId, end?.how, end?.exitCode], ['c', 'exited', 0]);
    assert.match(end?.text ?? '', /^The command that ran on with the id c has ended with exit code 0\. Full output: /);
    assert.equal(end?.text.includes('after'), false);
    await rig.chat.submit('and?');
    const asked = JSON.stringify(rig.model.requests.at(-1)?.messages);
    assert.equal(asked.split('has ended with exit code 0').length - 1, 1);
    assert.ok(asked.indexOf('has ended with exit code 0') < asked.indexOf('and?'));
  });

  it('is told to a run that goes on before its next request, and causes none itself', async () => {
    await open([bash('c', WAITS), bash('d', 'touch go; while [ ! -e stop ]; do sleep 0.02; done'), DONE]);
    const sent = rig.chat.submit('go');
    await printed('c', 'before');
    commands().runOn('c');
    await until(() => (commands().get('c') === undefined ? true : undefined), 'the end of the first command');
    assert.deepEqual(ends(), [], 'no message is put between a call and its result');
    writeFileSync(join(rig.cwd, 'stop'), '');
    await sent;
    assert.equal(rig.model.requests.length, 3);
    assert.equal(JSON.stringify(rig.model.requests[2]?.messages).includes('with the id c has ended'), true);
    assert.equal(ends().length, 1);
  });

  it('is seen by tool_result handlers once, and what they hide is not told at its end', async () => {
    await open([bash('c', `echo secret; ${WAITS}; echo secret`), DONE, DONE], { hooks: { 'redact.ts': REDACTS } });
    await runOn('c');
    go();
    await gone();
    await rig.chat.submit('and?');
    const seen = (globalThis as { seenResults?: unknown }).seenResults;
    assert.deepEqual(seen, [{ id: 'c', stillRunning: true }]);
    assert.equal(JSON.stringify(rig.model.requests.flatMap(({ messages }) => messages)).includes('"secret'), false);
    assert.match(textOf(resultOf('c').content), /^\*\*\*\nbefore/);
    assert.equal(ends().length, 1);
    assert.equal(ends()[0]?.text.includes('secret'), false);
  });

  it('goes on when a later run is stopped, and ends when it is stopped itself, without what others started', async () => {
    await open([bash('c', `${WAITS} & wait`), DONE, bash('d', 'echo second; sleep 100'), DONE]);
    const bystander = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
    const neighbour = spawn('sleep', ['1000'], { cwd: rig.cwd, stdio: 'ignore' });
    try {
      await runOn('c');
      const again = rig.chat.submit('again');
      await printed('d', 'second');
      await rig.conversation.run.stop();
      await again;
      assert.deepEqual(
        commands().all.map(({ toolCallId, state }) => [toolCallId, state]),
        [['c', 'runningOn']],
      );
      commands().stop('c');
      await gone();
      assert.deepEqual(
        ends().map(({ how }) => how),
        ['stopped'],
      );
      assert.match(ends()[0]?.text ?? '', /was stopped by the user/);
      assert.equal(existsSync(join(rig.cwd, 'go')), false);
      for (const other of [bystander, neighbour]) assert.equal(isAlive(other), true);
    } finally {
      await Promise.all([bystander, neighbour].map(ended));
    }
  });

  it('has its call go on when it is stopped while the call waits', async () => {
    await open([bash('c', WAITS), DONE]);
    const sent = rig.chat.submit('go');
    await printed('c', 'before');
    commands().stop('c');
    await sent;
    assert.match(textOf(resultOf('c').content), /^before\n\n\nCommand stopped by the user$/);
    assert.deepEqual([resultOf('c').isError, ends()], [true, []]);
    assert.equal(rig.model.requests.length, 2, 'the run goes on');
  });

  it('ends with a stop of the run as long as its call waits for it', async () => {
    await open([bash('c', WAITS), DONE]);
    const sent = rig.chat.submit('go');
    await printed('c', 'before');
    await rig.conversation.run.stop();
    await sent;
    assert.match(textOf(resultOf('c').content), /Command aborted$/);
    assert.deepEqual([commands().all, ends()], [[], []]);
  });

  it('does not run on when it has ended already: the call returns its whole result', async () => {
    await open([bash('c', 'echo quick'), DONE]);
    rig.conversation.onDidHappen(event => {
      if (event.type === 'command_over') commands().runOn('c');
    });
    await rig.chat.submit('go');
    assert.deepEqual([textOf(resultOf('c').content), resultOf('c').details], ['quick\n', undefined]);
    assert.deepEqual(ends(), []);
  });

  it('has one result and one end when it ends in the moment in which it is let go', async () => {
    await open([bash('c', 'echo before'), DONE]);
    rig.conversation.onDidHappen(event => {
      if (event.type !== 'command_state' || event.state !== 'waitedFor') return;
      commands()
        .get('c')
        ?.onDidGrow(() => commands().runOn('c'));
    });
    await rig.chat.submit('go');
    await gone();
    assert.equal(detailsOf('c').stillRunning, true);
    assert.deepEqual(
      ends().map(({ how, exitCode }) => [how, exitCode]),
      [['exited', 0]],
    );
    assert.equal(readFileSync(detailsOf('c').fullOutputPath, 'utf8'), 'before\n');
  });

  it('runs beside another one, and each is told by its own id', async () => {
    const both = ['one', 'two'].map(id => ({
      ...{ id, name: 'bash' },
      args: { command: `echo before; while [ ! -e go-${id} ]; do sleep 0.02; done; exit ${id.length}` },
    }));
    await open([{ calls: both }, DONE]);
    const sent = rig.chat.submit('go');
    for (const { id } of both) {
      await printed(id, 'before');
      commands().runOn(id);
    }
    await sent;
    assert.deepEqual(
      commands().letGo.map(({ toolCallId }) => toolCallId),
      ['one', 'two'],
    );
    for (const id of ['two', 'one']) {
      writeFileSync(join(rig.cwd, `go-${id}`), '');
      await until(() => (commands().get(id) === undefined ? true : undefined), `the end of ${id}`);
    }
    assert.deepEqual(
      ends().map(({ toolCallId, exitCode }) => [toolCallId, exitCode]),
      [
        ['two', 3],
        ['one', 3],
      ],
    );
  });

  it('keeps the timeout of its call', async () => {
    await open([bash('c', WAITS, { timeout: 1 }), DONE]);
    await runOn('c');
    await gone();
    assert.deepEqual(
      ends().map(({ how }) => how),
      ['timeout'],
    );
    assert.match(ends()[0]?.text ?? '', /was ended by its timeout of 1 seconds/);
  });

  it('has changes of hooks wait for approval until it ends', async () => {
    const writesHook = `${WAITS}; mkdir -p .pi/hooks; echo 'export default pi => { globalThis.lateHook = true; };' > .pi/hooks/late.ts; while [ ! -e end ]; do sleep 0.02; done`;
    await open([bash('c', writesHook), DONE]);
    await runOn('c');
    go();
    await until(() => existsSync(join(rig.cwd, '.pi', 'hooks', 'late.ts')) || undefined, 'the hook file');
    assert.equal(rig.host.isGuarding, true);
    await rig.host.reload();
    const states = (): string[] => rig.host.infos().map(({ state }) => state.type);
    assert.deepEqual([states(), (globalThis as { lateHook?: unknown }).lateHook], [['waiting'], undefined]);
    writeFileSync(join(rig.cwd, 'end'), '');
    await gone();
    await rig.host.reload();
    assert.deepEqual([states(), (globalThis as { lateHook?: unknown }).lateHook], [['waiting'], undefined]);
  });

  for (const [what, end] of [
    ['another session takes its place', () => rig.conversation.sessions.newSession()],
    ['the conversation is closed', () => rig.conversations.close(rig.conversation.id)],
    ['the session goes on in a fork', () => rig.conversation.sessions.clone()],
    ['the window is closed', () => rig.conversations.dispose()],
  ] as const) {
    it(`ends when ${what}, and its session says so`, async () => {
      await open([bash('c', `echo $$ > pid; ${WAITS}`), DONE]);
      await runOn('c');
      const pid = Number(readFileSync(join(rig.cwd, 'pid'), 'utf8'));
      const file = rig.conversation.store.getSessionFile();
      assert.ok(file);
      await end();
      assert.equal(existsSync(`/proc/${pid}`), false);
      const written = readFileSync(file, 'utf8');
      assert.match(written, /"customType":"hookline\.commandEnd"/);
      assert.match(written, /was ended, because its conversation was closed/);
    });
  }

  it('prints without end in a fixed amount of memory, in pieces that a terminal can take, and is stopped at once', async () => {
    await open([
      bash('c', "echo before; while [ ! -e go ]; do sleep 0.02; done; head -c 200M /dev/zero | tr '\\0' x; sleep 1000"),
      DONE,
    ]);
    const command = await runOn('c');
    const before = process.memoryUsage().arrayBuffers;
    go();
    let position = 0;
    await until(() => {
      const part = command.outputFrom(position);
      assert.ok(part.text.length <= 128 * 1024);
      position = part.position;
      return position >= 200 * MB || undefined;
    }, 'all of the output');
    assert.ok(process.memoryUsage().arrayBuffers - before < 100 * MB);
    const printedBytes = 'before\n'.length + 200 * MB;
    assert.equal(position, printedBytes);
    const kept = command.outputFrom(0);
    assert.deepEqual([kept.text.length, kept.omitted], [128 * 1024, printedBytes - 128 * 1024]);
    assert.ok(
      Buffer.byteLength(textOf(resultOf('c').content)) < 60 * 1024,
      'the model gets no more than of any command',
    );
    commands().stop('c');
    await gone();
    const { fullOutputPath } = detailsOf('c');
    assert.equal(statSync(fullOutputPath).size, printedBytes);
    rmSync(fullOutputPath);
  });

  it('goes on through a compaction', async () => {
    const compaction = { enabled: false, reserveTokens: 1_000, keepRecentTokens: 1 };
    await open([bash('c', WAITS), DONE, { text: 'summary' }], { settings: { compaction } });
    await runOn('c');
    await rig.conversation.run.compact();
    assert.deepEqual(commands().letGo.length, 1);
    go();
    await gone();
    assert.equal(ends().length, 1);
  });

  it('is not possible where the view keeps no commands, nor in a call that a tool makes', async () => {
    await open([bash('c', 'echo x'), DONE], { keepsCommands: undefined });
    assert.equal(rig.conversation.commands, undefined);
    await rig.chat.submit('go');
    assert.equal(resultOf('c').details, undefined);
    await rig.close();
    const nests = `// @pi-dialect pi
      export default pi => pi.registerTool({
        name: 'nest', label: 'Nest', description: 'x', parameters: { type: 'object', properties: {} },
        async execute(id, params, signal, onUpdate, ctx) {
          await ctx.executeTool('bash', { command: 'echo nested' });
          return { content: [{ type: 'text', text: 'keeper' in ctx ? 'it does' : 'it does not' }], details: undefined };
        },
      });\n`;
    await open([{ calls: [{ id: 'n', name: 'nest', args: {} }] }, DONE], { extensions: { 'nest.ts': nests } });
    const seen: string[] = [];
    rig.conversation.onDidHappen(({ type }) => seen.push(type));
    await rig.chat.submit('go');
    assert.equal(textOf(resultOf('n').content), 'it does not');
    assert.deepEqual(
      seen.filter(type => type === 'command_state' || type === 'command_over'),
      [],
    );
  });
});

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** Ends a process of the test itself. */
function ended(child: ChildProcess): Promise<void> {
  return new Promise(resolve => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
