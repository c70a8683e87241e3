import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CliPlace } from '../modes/support/cli';
import { ScriptedLlm } from '../support/scripted-llm';
import { describePeer, importPeer, piToday, TODAY } from './peers';

type Json = Readonly<Record<string, unknown>>;
type Event = Json & { readonly type: string };
type Cancelled = Promise<{ readonly cancelled: boolean }>;
type Disposition = Promise<'started' | 'queued' | 'handled'>;

/** Today's own client of pi, every method of it. */
interface Client {
  start(): Promise<void>;
  stop(): Promise<void>;
  onEvent(listener: (event: Event) => void): () => void;
  getStderr(): string;
  prompt(message: string, images?: readonly object[], streamingBehavior?: 'steer' | 'followUp'): Disposition;
  steer(message: string): Disposition;
  followUp(message: string): Disposition;
  abort(): Promise<void>;
  clearQueue(): Promise<{ readonly steering: readonly string[]; readonly followUp: readonly string[] }>;
  newSession(parentSession?: string): Cancelled;
  getState(): Promise<Json & { readonly sessionFile: string; readonly model: { readonly id: string } }>;
  setModel(provider: string, modelId: string): Promise<{ readonly id: string }>;
  cycleModel(): Promise<{ readonly model: { readonly id: string } } | null>;
  getAvailableModels(): Promise<readonly { readonly id: string; readonly provider: string }[]>;
  setThinkingLevel(level: string): Promise<void>;
  cycleThinkingLevel(): Promise<{ readonly level: string } | null>;
  getAvailableThinkingLevels(): Promise<readonly string[]>;
  setSteeringMode(mode: string): Promise<void>;
  setFollowUpMode(mode: string): Promise<void>;
  compact(instructions?: string): Promise<{ readonly summary: string; readonly estimatedTokensAfter: number }>;
  setAutoCompaction(enabled: boolean): Promise<void>;
  setAutoRetry(enabled: boolean): Promise<void>;
  abortRetry(): Promise<void>;
  bash(command: string): Promise<{ readonly output: string; readonly exitCode?: number; readonly cancelled: boolean }>;
  abortBash(): Promise<void>;
  getSessionStats(): Promise<Json>;
  exportHtml(outputPath?: string): Promise<{ readonly path: string }>;
  switchSession(path: string): Cancelled;
  fork(entryId: string): Promise<{ readonly text: string; readonly cancelled: boolean }>;
  clone(): Cancelled;
  getForkMessages(): Promise<readonly { readonly entryId: string; readonly text: string }[]>;
  getEntries(
    since?: string,
  ): Promise<{ readonly entries: readonly { readonly id: string }[]; readonly leafId: string }>;
  getTree(): Promise<{ readonly tree: readonly { readonly children: readonly object[] }[]; readonly leafId: string }>;
  getLastAssistantText(): Promise<string | null | undefined>;
  setSessionName(name: string): Promise<void>;
  getMessages(): Promise<readonly { readonly role: string }[]>;
  getCommands(): Promise<readonly { readonly name: string; readonly sourceInfo?: { readonly source: string } }[]>;
  waitForIdle(timeout?: number): Promise<void>;
  collectEvents(timeout?: number): Promise<readonly Event[]>;
  promptAndWait(message: string): Promise<readonly Event[]>;
}

type ClientClass = new (options: {
  readonly cliPath: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}) => Client;

const EXTENSION = `export default pi => {
  pi.registerCommand('shout', { description: 'loud', handler: async () => {} });
  pi.on('input', event => event.text === 'mine' ? { action: 'handled' } : undefined);
};
`;

describePeer('every method of the RPC client of today', TODAY, folder => {
  const pi = piToday(folder);
  for (const [side, program] of Object.entries({ pi, Hookline: undefined })) {
    describe(`with ${side}`, () => {
      let place: CliPlace;
      let llm: ScriptedLlm;
      let client: Client;
      let events: Event[];

      beforeEach(async () => {
        place = await CliPlace.make();
        llm = await ScriptedLlm.start();
        place.useLlm(llm, { compaction: { keepRecentTokens: 1 }, defaultThinkingLevel: 'low' });
        place.file('agent/extensions/shout.ts', EXTENSION);
        const { RpcClient } = await importPeer<{ RpcClient: ClientClass }>(folder, 'modes/rpc/rpc-client.js');
        const env = { ...place.env, ...program?.env };
        client = new RpcClient({ cliPath: program?.cli ?? place.cliPath, cwd: place.cwd, env });
        events = [];
        client.onEvent(event => events.push(event));
        await client.start();
      });

      afterEach(async () => {
        await client.stop();
        await place.remove();
        await llm.stop();
      });

      const said = async (): Promise<readonly string[]> =>
        (await client.getMessages()).map(({ role }) => role).filter(role => role !== 'system');

      it('start, onEvent, promptAndWait, getMessages, getLastAssistantText, getSessionStats, getStderr, stop', async () => {
        llm.reply({ text: 'an answer' });
        const seen = (await client.promptAndWait('a question')).map(({ type }) => type);
        assert.deepEqual([seen[0], seen.at(-2), seen.at(-1)], ['agent_start', 'agent_end', 'agent_settled']);
        assert.ok(seen.every(type => events.some(event => event.type === type)));
        assert.deepEqual(await said(), ['user', 'assistant']);
        assert.equal(await client.getLastAssistantText(), 'an answer');
        const { userMessages, assistantMessages } = await client.getSessionStats();
        assert.deepEqual([userMessages, assistantMessages], [1, 1]);
        assert.equal(client.getStderr(), '');
      });

      it('prompt, steer, followUp, clearQueue, collectEvents, waitForIdle, setSteeringMode, setFollowUpMode', async () => {
        await client.setSteeringMode('all');
        await client.setFollowUpMode('all');
        const hold = llm.hold({ text: 'held' });
        llm.reply({ text: 'steered' }, { text: 'followed' });
        const idle = client.waitForIdle();
        const collected = client.collectEvents();
        assert.equal(await client.prompt('go'), 'started');
        await hold.reached;
        assert.equal(await client.prompt('dropped', undefined, 'steer'), 'queued');
        assert.deepEqual(await client.clearQueue(), { steering: ['dropped'], followUp: [] });
        assert.equal(await client.steer('this way'), 'queued');
        assert.equal(await client.followUp('and then'), 'queued');
        const { steeringMode, followUpMode, pendingMessageCount } = await client.getState();
        assert.deepEqual([steeringMode, followUpMode, pendingMessageCount], ['all', 'all', 2]);
        hold.release();
        await idle;
        assert.equal((await collected).at(-1)?.type, 'agent_settled');
        assert.match(JSON.stringify(await client.getMessages()), /go.*held.*this way.*steered.*and then.*followed/);
        assert.equal(await client.prompt('mine'), 'handled');
        assert.equal(await client.prompt('/shout'), 'handled');
      });

      it('abort, setAutoRetry, abortRetry', async () => {
        const hold = llm.hold();
        const idle = client.waitForIdle();
        await client.prompt('go');
        const { closed } = await hold.reached;
        await client.abort();
        assert.equal(await closed, true);
        await idle;
        assert.equal((await client.getState())['isStreaming'], false);
        await client.setAutoRetry(false);
        llm.fail(500);
        const failed = await client.promptAndWait('again');
        assert.ok(!failed.some(({ type }) => type === 'auto_retry_start'));
        await client.abortRetry();
      });

      it('setModel, cycleModel, getAvailableModels, and the thinking levels', async () => {
        const ids = (await client.getAvailableModels()).filter(({ provider }) => provider === 'scripted');
        assert.deepEqual(
          ids.map(({ id }) => id),
          ['one', 'two'],
        );
        assert.equal((await client.setModel('scripted', 'two')).id, 'two');
        await assert.rejects(client.setModel('scripted', 'three'), /Model not found: scripted\/three/);
        assert.notEqual((await client.cycleModel())?.model.id, 'two');
        await client.setModel('scripted', 'two');
        await client.setThinkingLevel('medium');
        assert.deepEqual(await client.cycleThinkingLevel(), { level: 'high' });
        assert.deepEqual(await client.getAvailableThinkingLevels(), ['off', 'minimal', 'low', 'medium', 'high']);
        const { model, thinkingLevel } = await client.getState();
        assert.deepEqual([model.id, thinkingLevel], ['two', 'high']);
      });

      it('bash, abortBash, setAutoCompaction, compact', async () => {
        const { output, exitCode } = await client.bash('echo hi');
        assert.deepEqual([output, exitCode], ['hi\n', 0]);
        assert.ok(events.some(({ type, delta }) => type === 'bash_execution_update' && delta === 'hi\n'));
        const running = client.bash('sleep 1000');
        await client.getState();
        await client.abortBash();
        assert.equal((await running).cancelled, true);
        await client.setAutoCompaction(false);
        assert.equal((await client.getState())['autoCompactionEnabled'], false);
        llm.otherwise(() => ({ text: 'some answer' }));
        await client.promptAndWait('the first');
        await client.promptAndWait('the second');
        const { summary, estimatedTokensAfter } = await client.compact('mind the details');
        assert.match(summary, /some answer/);
        assert.ok(estimatedTokensAfter > 0);
      });

      it('newSession, switchSession, fork, clone, getForkMessages, getEntries, getTree, setSessionName', async () => {
        llm.otherwise(() => ({ text: 'ok' }));
        await client.promptAndWait('the first');
        const { leafId } = await client.getEntries();
        await client.promptAndWait('the second');
        await client.setSessionName('trials');
        assert.equal((await client.getEntries(leafId)).entries.length, 3);
        await assert.rejects(client.getEntries('nope'), /Entry not found: nope/);
        assert.equal((await client.getTree()).tree.length, 1);
        const { sessionFile } = await client.getState();
        const points = await client.getForkMessages();
        assert.deepEqual(
          points.map(({ text }) => text),
          ['the first', 'the second'],
        );
        assert.deepEqual(await client.fork(points[1]?.entryId ?? ''), { text: 'the second', cancelled: false });
        assert.deepEqual(await said(), ['user', 'assistant']);
        assert.deepEqual(await client.switchSession(sessionFile), { cancelled: false });
        assert.deepEqual(await client.clone(), { cancelled: false });
        assert.notEqual((await client.getState()).sessionFile, sessionFile);
        assert.deepEqual(await said(), ['user', 'assistant', 'user', 'assistant']);
        assert.deepEqual(await client.newSession(sessionFile), { cancelled: false });
        assert.deepEqual(await said(), []);
      });

      it('getCommands, exportHtml', async () => {
        const shout = (await client.getCommands()).find(({ name }) => name === 'shout');
        assert.equal(shout?.sourceInfo?.source, 'auto');
        await assert.rejects(client.exportHtml(), /Nothing to export yet/);
        llm.reply({ text: 'ok' });
        await client.promptAndWait('go');
        assert.equal((await client.exportHtml('session.html')).path, 'session.html');
        assert.ok(existsSync(join(place.cwd, 'session.html')));
      });
    });
  }
});
