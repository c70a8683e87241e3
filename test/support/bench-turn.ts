import type { Api, AssistantMessageEvent, Model } from '@mariozechner/pi-ai';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StreamFn } from '../../src/agent/run/loop';
import type { AssistantMessage } from '../../src/agent/messages';
import { writeSession } from './bench-data';
import { cpuEachMs } from './bench-measure';
import { Rig } from './conversation-rig';
import { answer, scriptedModel } from './scripted-stream';

/** Turns of one measured run. */
export const TURNS = 150;
export const DELTAS_PER_TURN = 10;
export const DELTA = 'some words ';
export const MODEL: Model<Api> = { ...scriptedModel, contextWindow: 1_000_000_000 };

/** A model that calls the tool `noop` in each answer until its turns are used up. */
export class BusyModel {
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
export async function* textDeltas(message: AssistantMessage, count: number): AsyncGenerator<AssistantMessageEvent> {
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

/** A conversation with hooks and a page, as a window has it. */
export interface Talk {
  readonly rig: Rig;
  readonly model: BusyModel;
  readonly page: { dispose(): void; readonly got: unknown[] };
  /** The entry after which each measured run goes on. */
  readonly begin: string | null;
}

/** `history`: messages that the conversation begins with, 2 kB each. */
export async function openTalk(root: string, hooks: number, history: number): Promise<Talk> {
  const sessions = join(root, 'home', '.pi', 'agent', 'sessions', 'here');
  mkdirSync(sessions, { recursive: true });
  const session = { entries: history, bytesPerEntry: 2_230, cwd: join(root, 'work') };
  if (history > 0) writeSession(join(sessions, 'long.jsonl'), session);
  const model = new BusyModel();
  const files = Array.from({ length: hooks }, (_, at) => [`${at}.ts`, at === 0 ? TOOL : GATE] as const);
  const rig = await Rig.open([], {
    root,
    resume: history > 0,
    hooks: Object.fromEntries(files),
    models: [MODEL],
    stream: model.stream,
  });
  const talk = { rig, model, page: rig.page(), begin: rig.conversation.store.getLeafId() };
  if (said(talk) !== history) throw new Error('the history was not read');
  return talk;
}

export async function closeTalk({ rig, page }: Talk): Promise<void> {
  page.dispose();
  await rig.close(true);
}

/** µs of the host's thread per turn of long runs, each of which begins where the first began. */
export async function turnsOf(talk: Talk): Promise<{ readonly perTurn: number }> {
  const { rig, model, page } = talk;
  model.deltas = DELTAS_PER_TURN;
  const ms = await cpuEachMs(
    async () => {
      const before = said(talk);
      model.turns = TURNS;
      await rig.chat.submit('go');
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
  return rig.conversation.run.agent.messages.filter(({ role }) => role !== 'system').length;
}

async function goBack({ rig, begin }: Talk): Promise<void> {
  if (begin === null) rig.conversation.store.resetLeaf();
  else rig.conversation.store.branch(begin);
  await rig.conversation.forHooks.rebuildContext();
}
