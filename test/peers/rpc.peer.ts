import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CliPlace, until } from '../modes/support/cli';
import { ScriptedLlm } from '../support/scripted-llm';
import { describePeer, importPeer } from './peers';

interface PeerEvent {
  readonly type: string;
  readonly [member: string]: unknown;
}

interface PeerModel {
  readonly provider: string;
  readonly id: string;
}

/** What is used of pi's own RpcClient. */
interface PeerClient {
  start(): Promise<void>;
  stop(): Promise<void>;
  onEvent(listener: (event: PeerEvent) => void): () => void;
  getStderr(): string;
  prompt(message: string): Promise<void>;
  promptAndWait(message: string): Promise<readonly PeerEvent[]>;
  waitForIdle(timeout?: number): Promise<void>;
  steer(message: string): Promise<void>;
  followUp(message: string): Promise<void>;
  abort(): Promise<void>;
  newSession(): Promise<{ readonly cancelled: boolean }>;
  getState(): Promise<Readonly<Record<string, unknown>> & { readonly model: PeerModel; readonly messageCount: number }>;
  setModel(provider: string, id: string): Promise<PeerModel>;
  cycleModel(): Promise<{ readonly model: PeerModel } | null>;
  getAvailableModels(): Promise<readonly PeerModel[]>;
  setThinkingLevel(level: string): Promise<void>;
  cycleThinkingLevel(): Promise<{ readonly level: string } | null>;
  setSteeringMode(mode: string): Promise<void>;
  setFollowUpMode(mode: string): Promise<void>;
  compact(instructions?: string): Promise<{ readonly summary: string; readonly firstKeptEntryId: string }>;
  setAutoCompaction(enabled: boolean): Promise<void>;
  setAutoRetry(enabled: boolean): Promise<void>;
  abortRetry(): Promise<void>;
  bash(command: string): Promise<{ readonly output: string; readonly exitCode?: number }>;
  abortBash(): Promise<void>;
  getSessionStats(): Promise<Readonly<Record<string, unknown>> & { readonly totalMessages: number }>;
  exportHtml(outputPath?: string): Promise<{ readonly path: string }>;
  switchSession(path: string): Promise<{ readonly cancelled: boolean }>;
  fork(entryId: string): Promise<{ readonly text: string; readonly cancelled: boolean }>;
  clone?(): Promise<{ readonly cancelled: boolean }>;
  getForkMessages(): Promise<readonly { readonly entryId: string; readonly text: string }[]>;
  getLastAssistantText(): Promise<string | null>;
  setSessionName(name: string): Promise<void>;
  getMessages(): Promise<readonly { readonly role: string }[]>;
  getCommands(): Promise<readonly { readonly name: string }[]>;
}

/** The one private part that is needed: pi's client has no method for answering a hook's question. */
interface WithProcess {
  readonly process: { readonly pid: number; readonly stdin: { write(text: string): void } };
}

type PeerClientClass = new (options: {
  readonly cliPath: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly provider?: string;
  readonly model?: string;
  readonly args?: readonly string[];
}) => PeerClient & WithProcess;

const GATE = `export default pi => {
  pi.on('tool_call', async (event, ctx) => {
    if (event.toolName !== 'bash') return;
    ctx.ui.notify('asking', 'info');
    const choice = await ctx.ui.select('Run ' + event.input.command + '?', ['Yes', 'No']);
    return choice === 'Yes' ? undefined : { block: true, reason: 'the host said ' + choice };
  });
};
`;

for (const version of ['0.57.1', '0.73.1']) {
  describePeer('the RPC client, unchanged,', version, folder => {
    let place: CliPlace;
    let llm: ScriptedLlm;
    let client: PeerClient & WithProcess;
    let events: PeerEvent[];

    beforeEach(async () => {
      place = await CliPlace.make();
      llm = await ScriptedLlm.start();
      place.useLlm(llm, { compaction: { keepRecentTokens: 1 } });
    });

    afterEach(async () => {
      await client.stop();
      await place.remove();
      await llm.stop();
    });

    const start = async (
      options: { readonly provider?: string; readonly model?: string; readonly cliPath?: string } = {},
    ): Promise<void> => {
      const { RpcClient } = await importPeer<{ RpcClient: PeerClientClass }>(folder, 'modes/rpc/rpc-client.js');
      // The client lays our environment over that of the tests, which lets no variable go.
      const args = options.cliPath === undefined || options.cliPath === place.cliPath ? ['--rpc-version', '0.73'] : [];
      client = new RpcClient({ cliPath: place.cliPath, cwd: place.cwd, env: place.env, args, ...options });
      events = [];
      client.onEvent(event => events.push(event));
      await client.start();
    };
    const texts = async (): Promise<string> => JSON.stringify(await client.getMessages());

    it('sends prompts and gets events and answers', async () => {
      await start({ provider: 'demo', model: 'offline' });
      place.file('work/notes.txt', 'three little words');
      const seen = await client.promptAndWait('read notes.txt');
      const types = seen.map(({ type }) => type).filter(type => !type.endsWith('_update'));
      assert.deepEqual(types.slice(0, 4), ['agent_start', 'turn_start', 'message_start', 'message_end']);
      assert.ok(types.includes('tool_execution_end'));
      assert.equal(types.at(-1), 'agent_end');
      assert.match((await client.getLastAssistantText()) ?? '', /three little words/);
      assert.equal((await client.getState()).messageCount, 4);
      assert.equal((await client.getSessionStats()).totalMessages, 4);
      assert.equal(client.getStderr(), '');
    });

    it('gives the numbers of a session as pi itself does, before a compaction and after', async () => {
      const numbers = async (): Promise<object> => {
        const stats = Object.entries(await client.getSessionStats());
        // Each side has a session of its own, and 0.57.1 says nothing of the context.
        const own = ['sessionFile', 'sessionId', ...(version === '0.57.1' ? ['contextUsage'] : [])];
        return Object.fromEntries(stats.filter(([name]) => !own.includes(name)));
      };
      const sides: object[][] = [];
      for (const cliPath of [join(folder, 'dist', 'cli.js'), place.cliPath]) {
        llm.reply({ text: 'let me see', toolCalls: [{ name: 'bash', arguments: { command: 'echo 1' } }] });
        llm.otherwise(() => ({ text: 'the same each time' }));
        await start({ cliPath, provider: 'scripted', model: 'one' });
        const seen = [await numbers()];
        await client.promptAndWait('go');
        await client.promptAndWait('and again');
        seen.push(await numbers());
        await client.compact();
        seen.push(await numbers());
        await client.promptAndWait('once more');
        seen.push(await numbers());
        sides.push(seen);
        await client.stop();
      }
      assert.deepEqual(sides[1], sides[0]);
    });

    it('steers and follows up', async () => {
      await start();
      const hold = llm.hold({ toolCalls: [{ name: 'bash', arguments: { command: 'echo 1' } }] });
      llm.reply({ text: 'steered' }, { text: 'followed' });
      await client.setSteeringMode('all');
      await client.setFollowUpMode('one-at-a-time');
      const idle = client.waitForIdle();
      await client.prompt('go');
      await hold.reached;
      await client.steer('this way');
      await client.followUp('and then');
      hold.release();
      await idle;
      assert.match(await texts(), /go.*this way.*steered.*and then.*followed/);
    });

    it('aborts a run and leaves no process of it', async () => {
      await start();
      llm.reply({ toolCalls: [{ name: 'bash', arguments: { command: 'touch began; sleep 1000 & sleep 1000' } }] });
      await client.prompt('go');
      await until(() => existsSync(`${place.cwd}/began`), 'the command to begin');
      await client.abort();
      assert.equal((await client.getState())['isStreaming'], false);
      await until(async () => (await place.processes()).length <= 1, 'the processes to end');
      const { pid } = client.process;
      await client.stop();
      await until(async () => !(await place.processes()).includes(pid), 'the agent to end');
    });

    it('compacts', async () => {
      await start();
      llm.otherwise(() => ({ text: 'some answer' }));
      await client.promptAndWait('the first');
      await client.promptAndWait('the second');
      const { summary, firstKeptEntryId } = await client.compact('mind the details');
      assert.match(summary, /some answer/);
      assert.match(firstKeptEntryId, /^[0-9a-f]{8}$/);
      await client.setAutoCompaction(false);
      assert.equal((await client.getState())['autoCompactionEnabled'], false);
    });

    it('forks, clones, starts, names and switches sessions', async () => {
      await start();
      llm.otherwise(() => ({ text: 'ok' }));
      await client.promptAndWait('the first');
      await client.promptAndWait('the second');
      await client.setSessionName('trials');
      const { sessionFile } = await client.getState();
      const points = await client.getForkMessages();
      assert.deepEqual(
        points.map(({ text }) => text),
        ['the first', 'the second'],
      );
      assert.deepEqual(await client.fork(points[1]?.entryId ?? ''), { text: 'the second', cancelled: false });
      assert.equal((await client.getState()).messageCount, 2);
      if (client.clone !== undefined) assert.deepEqual(await client.clone(), { cancelled: false });
      assert.deepEqual(await client.newSession(), { cancelled: false });
      assert.equal((await client.getState()).messageCount, 0);
      assert.deepEqual(await client.switchSession(String(sessionFile)), { cancelled: false });
      const state = await client.getState();
      assert.deepEqual([state.messageCount, state['sessionName']], [4, 'trials']);
    });

    it('chooses models and thinking levels', async () => {
      await start({ provider: 'scripted', model: 'one' });
      assert.equal((await client.setModel('scripted', 'two')).id, 'two');
      await assert.rejects(client.setModel('scripted', 'three'), /Model not found: scripted\/three/);
      assert.equal((await client.getAvailableModels()).length, 2, 'the demo is offered where nothing else is');
      assert.notEqual((await client.cycleModel())?.model.id, 'two');
      await client.setModel('scripted', 'two');
      await client.setThinkingLevel('low');
      assert.deepEqual(await client.cycleThinkingLevel(), { level: 'medium' });
      const { model, thinkingLevel } = await client.getState();
      assert.deepEqual([model.id, thinkingLevel], ['two', 'medium']);
    });

    it('gets the questions of hooks, and their answers decide', async () => {
      place.hook('gate.ts', GATE);
      await start();
      client.onEvent(({ type, id, method, options }) => {
        if (type !== 'extension_ui_request' || method !== 'select') return;
        const [, no] = options as string[];
        client.process.stdin.write(`${JSON.stringify({ type: 'extension_ui_response', id, value: no })}\n`);
      });
      llm.reply({ toolCalls: [{ name: 'bash', arguments: { command: 'touch ran' } }] }, { text: 'ok' });
      await client.promptAndWait('go');
      assert.match(await texts(), /the host said No/);
      assert.ok(!existsSync(`${place.cwd}/ran`));
      const notice = events.find(({ method }) => method === 'notify');
      assert.deepEqual([notice?.['message'], notice?.['notifyType']], ['asking', 'info']);
    });

    it('runs bash commands, ends waits, lists commands, and exports the session', async () => {
      place.hook(
        'commands.ts',
        "export default pi => { pi.registerCommand('stats', { handler: async () => {} }); };\n",
      );
      await start();
      await assert.rejects(client.exportHtml(), /Nothing to export yet/);
      const { output, exitCode } = await client.bash('echo hi');
      assert.deepEqual([output, exitCode], ['hi\n', 0]);
      await client.abortBash();
      await client.setAutoRetry(true);
      await client.abortRetry();
      assert.deepEqual(
        (await client.getCommands()).map(({ name }) => name),
        ['stats'],
      );
      llm.reply({ text: 'ok' });
      await client.promptAndWait('go');
      const { path } = await client.exportHtml('session.html');
      assert.equal(path, `${place.cwd}/session.html`);
      assert.ok(existsSync(path));
    });
  });
}
