import { convertToLlm } from '../../src/agent/llm-messages';
import type { AgentMessage, AssistantMessage } from '../../src/agent/messages';
import { bench, benchCase, type BenchCase, type BenchRow } from '../support/bench';
import { historyOf } from '../support/bench-data';
import { cpuEachMs } from '../support/bench-measure';
import {
  BusyModel,
  closeTalk,
  DELTA,
  DELTAS_PER_TURN,
  MODEL,
  openTalk,
  textDeltas,
  TURNS,
  turnsOf,
  type Talk,
} from '../support/bench-turn';
import { answer } from '../support/scripted-stream';

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
      const talk = await openTalk(root, hooks, history);
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
  setUp: root => openTalk(root, 1, 0),
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
        await rig.chat.submit('go');
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
