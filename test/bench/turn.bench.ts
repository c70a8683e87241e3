import type { Api, AssistantMessageEvent, Model } from '@mariozechner/pi-ai';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { convertToLlm } from '../../src/agent/convert';
import type { StreamFn } from '../../src/agent/loop';
import type { AgentMessage, AssistantMessage } from '../../src/agent/messages';
import { bench, benchCase, type BenchCase, type BenchRow } from '../support/bench';
import { historyOf, writeSession } from '../support/bench-data';
import { cpuEachMs } from '../support/bench-measure';
import { Rig } from '../support/conversation-rig';
import { answer, scriptedModel } from '../support/scripted-stream';

const TURNS = 150;
const DELTAS_PER_TURN = 10;
const DELTA = 'some words ';
const MODEL: Model<Api> = { ...scriptedModel, contextWindow: 1_000_000_000 };

/** A model that calls the tool `noop` in each answer until its turns are used up. */
class BusyModel {
  turns = 0;
  deltas = 0;
  private calls = 0;

  readonly stream: StreamFn = () => {
    this.turns -= 1;
    return this.play(this.turns > 0 ? `call-${++this.calls}` : undefined);
  };

  private async *play(callId: string | undefined): AsyncGenerator<AssistantMessageEvent> {
    const message = answer({ text: '' });
    yield { type: 'start', partial: message };
    yield* textDeltas(message, this.deltas);
    if (callId !== undefined) {
      const toolCall = { type: 'toolCall' as const, id: callId, name: 'noop', arguments: {} };
      message.content.push(toolCall);
      message.stopReason = 'toolUse';
      yield { type: 'toolcall_start', contentIndex: 1, partial: message };
      yield { type: 'toolcall_end', contentIndex: 1, toolCall, partial: message };
    }
    yield { type: 'done', reason: callId === undefined ? 'stop' : 'toolUse', message };
  }
}

/** One delta after the other, each by its own step of the event loop's queue, as from a provider. */
// eslint-disable-next-line @typescript-eslint/require-await -- streams are asynchronous whatever they hold
async function* textDeltas(message: AssistantMessage, count: number): AsyncGenerator<AssistantMessageEvent> {
  const [part] = message.content;
  if (part?.type !== 'text') return;
  for (let at = 0; at < count; at++) {
    part.text += DELTA;
    yield { type: 'text_delta', contentIndex: 0, delta: DELTA, partial: message };
  }
}

const GATE = `export default function (pi: any) {
  pi.on('tool_call', async () => undefined);
  pi.on('tool_result', async () => undefined);
}
`;
const TOOL = `${GATE}
export const noop = 1;
`.replace(
  "pi.on('tool_call'",
  `pi.registerTool({
    name: 'noop', label: 'noop', description: 'Does nothing', parameters: { type: 'object', properties: {} },
    execute: async () => ({ content: [{ type: 'text', text: 'done' }], details: undefined }),
  });
  pi.on('tool_call'`,
);

interface Talk {
  readonly rig: Rig;
  readonly model: BusyModel;
  readonly page: { dispose(): void; readonly got: unknown[] };
  /** The entry after which each measured run goes on. */
  readonly begin: string | null;
}

async function openTalk(root: string, hooks: number, resume: boolean): Promise<Talk> {
  const model = new BusyModel();
  const files = Array.from({ length: hooks }, (_, at) => [`${at}.ts`, at === 0 ? TOOL : GATE] as const);
  const rig = await Rig.open([], {
    root,
    resume,
    hooks: Object.fromEntries(files),
    models: [MODEL],
    stream: model.stream,
  });
  return { rig, model, page: rig.page(), begin: rig.chat.store.getLeafId() };
}

async function closeTalk({ rig, page }: Talk): Promise<void> {
  page.dispose();
  await rig.close(true);
}

/** µs of the host's thread per turn of long runs, each of which begins where the first began. */
async function turnsOf(talk: Talk): Promise<{ readonly perTurn: number }> {
  const { rig, model, page } = talk;
  model.deltas = DELTAS_PER_TURN;
  const ms = await cpuEachMs(
    async () => {
      const before = said(talk);
      model.turns = TURNS;
      await rig.chat.inbox.submit('go');
      const added = said(talk) - before;
      if (added !== 2 * TURNS) throw new Error(`a run of ${TURNS} turns added ${added} messages`);
    },
    async () => {
      page.got.length = 0;
      await goBack(talk);
    },
  );
  return { perTurn: (ms * 1000) / TURNS };
}

/** Messages but those of the system, of which a run adds one where its prompt is another one. */
function said({ rig }: Talk): number {
  return rig.chat.run.agent.messages.filter(({ role }) => role !== 'system').length;
}

async function goBack({ rig, begin }: Talk): Promise<void> {
  if (begin === null) rig.chat.store.resetLeaf();
  else rig.chat.store.branch(begin);
  await rig.chat.forHooks.rebuildContext();
}

/** What happens in a turn, written down directly: stream, draw, ask the hooks, run, remember, say it in a line. */
class RawTurns {
  readonly messages: AgentMessage[];
  readonly drawn: object[] = [];
  lines = '';
  private readonly hooks: { onCall(): Promise<undefined>; onResult(): Promise<undefined> }[];

  constructor(hooks: number, history: readonly AgentMessage[]) {
    this.messages = [...history];
    // eslint-disable-next-line @typescript-eslint/require-await -- as hooks are written
    const nothing = async (): Promise<undefined> => undefined;
    this.hooks = Array.from({ length: hooks }, () => ({ onCall: nothing, onResult: nothing }));
  }

  async run(model: BusyModel): Promise<void> {
    for (let isLast = false; !isLast;) {
      const context = { messages: convertToLlm(this.messages), tools: [] };
      let message: AssistantMessage | undefined;
      for await (const event of await model.stream(MODEL, context, {})) {
        if (event.type === 'text_delta') this.drawn.push({ type: 'text', append: event.delta });
        if (event.type === 'done') message = event.message;
      }
      if (message === undefined) return;
      this.keep(message);
      isLast = message.stopReason !== 'toolUse';
      for (const part of message.content) if (part.type === 'toolCall') await this.call(part.id);
    }
  }

  private async call(toolCallId: string): Promise<void> {
    for (const hook of this.hooks) await hook.onCall();
    const content = await Promise.resolve([{ type: 'text' as const, text: 'done' }]);
    for (const hook of this.hooks) await hook.onResult();
    const head = { toolCallId, toolName: 'noop', details: undefined, isError: false, timestamp: Date.now() };
    this.keep({ role: 'toolResult', ...head, content });
  }

  private keep(message: AgentMessage): void {
    this.messages.push(message);
    this.drawn.push({ type: 'item', message });
    this.lines += `${JSON.stringify({ type: 'message', id: 'x', message })}\n`;
  }
}

async function rawTurns(hooks: number, history: readonly AgentMessage[]): Promise<{ readonly perTurn: number }> {
  const model = new BusyModel();
  model.deltas = DELTAS_PER_TURN;
  const ms = await cpuEachMs(
    (raw: RawTurns) => {
      model.turns = TURNS;
      return raw.run(model);
    },
    () => new RawTurns(hooks, history),
  );
  return { perTurn: (ms * 1000) / TURNS };
}

const HISTORY = historyOf(10_000, 1_900);

function turns(row: BenchRow, hooks: number, history: number): BenchCase<never> {
  return benchCase<Talk>({
    rows: [row],
    async setUp(root) {
      const sessions = join(root, 'home', '.pi', 'agent', 'sessions', 'here');
      mkdirSync(sessions, { recursive: true });
      const session = { entries: history, bytesPerEntry: 2_230, cwd: join(root, 'work') };
      if (history > 0) writeSession(join(sessions, 'long.jsonl'), session);
      const talk = await openTalk(root, hooks, history > 0);
      if (said(talk) !== history) throw new Error('the history was not read');
      await turnsOf(talk);
      return talk;
    },
    tearDown: closeTalk,
    rounds: 7,
    measure: { raw: () => rawTurns(hooks, HISTORY.slice(0, history)), ours: turnsOf },
  });
}

const STREAMED = 3_000;

const delta = benchCase<Talk>({
  rows: [
    {
      name: 'text delta through loop, presenter and controller',
      figure: 'perDelta',
      unit: 'µs',
      aim: { figure: 4, ratio: 4 },
    },
  ],
  setUp: root => openTalk(root, 1, false),
  tearDown: closeTalk,
  rounds: 7,
  measure: {
    async raw() {
      const ms = await cpuEachMs(async () => {
        const message = answer({ text: '' });
        let text = '';
        const waiting: object[] = [];
        for await (const event of textDeltas(message, STREAMED)) {
          if (event.type !== 'text_delta') continue;
          text += event.delta;
          waiting.push({ type: 'text', id: 'a', block: 0, append: event.delta });
        }
        if (text.length !== STREAMED * DELTA.length) throw new Error('deltas were lost');
      });
      return { perDelta: (ms * 1000) / STREAMED };
    },
    async ours({ rig, model, page }) {
      model.deltas = STREAMED;
      const ms = await cpuEachMs(async () => {
        model.turns = 1;
        await rig.chat.inbox.submit('go');
        const [block] = rig.items('assistant').at(-1)?.blocks ?? [];
        if (block?.type !== 'text' || block.text.length !== STREAMED * DELTA.length) {
          throw new Error('deltas were lost');
        }
        page.got.length = 0;
      });
      return { perDelta: (ms * 1000) / STREAMED };
    },
  },
});

await bench(
  turns(
    {
      name: 'a turn (10 deltas, 1 tool, 10 hooks)',
      figure: 'perTurn',
      unit: 'µs',
      aim: { figure: 100, ratio: 100 / 29 },
    },
    10,
    0,
  ),
  turns(
    {
      name: 'a turn with 10,000 messages of history (1 hook)',
      figure: 'perTurn',
      unit: 'µs',
      aim: { figure: 200, ratio: 200 / 55 },
    },
    1,
    10_000,
  ),
  delta,
);
