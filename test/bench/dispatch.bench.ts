import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { AgentMessage } from '../../src/agent/messages';
import { HookStats } from '../../src/hook-insight/stats';
import { bench, benchCase } from '../support/bench';
import { historyOf } from '../support/bench-data';
import { openHooks, writeHooks, type OpenHooks } from '../support/bench-hooks';
import { cpuEachMs } from '../support/bench-measure';
import { piRunner } from '../support/bench-peer';
import { FakeConversation } from '../support/fake-conversation';

const HANDLERS = 10;
const EVENTS = 1_000;

interface Dispatching {
  readonly hooks: OpenHooks;
  readonly counted: OpenHooks;
  readonly conversation: FakeConversation;
  readonly files: readonly string[];
  readonly cwd: string;
}

const HANDLER = `export default function (pi: any) {
  let seen = 0;
  pi.on('turn_start', async (event: { turnIndex: number }) => {
    seen += event.turnIndex;
  });
}
`;

/** µs per event. */
async function perEvent(emit: (turnIndex: number) => Promise<unknown>): Promise<number> {
  const ms = await cpuEachMs(async () => {
    for (let turnIndex = 0; turnIndex < EVENTS; turnIndex++) await emit(turnIndex);
  });
  return (ms * 1000) / EVENTS;
}

function rawHandlers(): ((event: { readonly turnIndex: number }) => Promise<number>)[] {
  return Array.from({ length: HANDLERS }, () => {
    let seen = 0;
    // eslint-disable-next-line @typescript-eslint/require-await -- as hooks are written
    return async event => (seen += event.turnIndex);
  });
}

const dispatch = benchCase<Dispatching>({
  rows: [
    {
      name: 'dispatch to 10 async handlers, each recorded',
      figure: 'perEvent',
      unit: 'µs',
      aim: { ratio: 2 },
    },
    { name: 'dispatch to 10 async handlers, each recorded and counted', figure: 'counted', unit: 'µs' },
  ],
  async setUp(folder) {
    const texts = Array<string>(HANDLERS).fill(HANDLER);
    const files = writeHooks(folder, texts);
    const cacheDir = join(folder, 'cache');
    const hooks = await openHooks({ cwd: folder, cacheDir });
    const counted = await openHooks({ cwd: folder, cacheDir });
    const conversation = new FakeConversation();
    for (const { host } of [hooks, counted]) host.attach(conversation);
    const stats = new HookStats();
    counted.host.records.onDidDispatch(record => stats.add(record));
    return { hooks, counted, conversation, files, cwd: folder };
  },
  async tearDown({ hooks, counted }) {
    await hooks.close();
    await counted.close();
  },
  rounds: 7,
  measure: {
    async raw() {
      const handlers = rawHandlers();
      const emit = async (turnIndex: number): Promise<void> => {
        const event = { type: 'turn_start', turnIndex, timestamp: 1 };
        for (const handler of handlers) {
          try {
            await handler(event);
          } catch {
            // A hook that throws does not keep the others from being called.
          }
        }
      };
      const us = await perEvent(emit);
      return { perEvent: us, counted: us };
    },
    async ours({ hooks, counted, conversation }) {
      const emitter =
        ({ host }: OpenHooks) =>
        (turnIndex: number): Promise<unknown> =>
          host.runner.emit({ type: 'turn_start', turnIndex, timestamp: 1 }, conversation);
      return { perEvent: await perEvent(emitter(hooks)), counted: await perEvent(emitter(counted)) };
    },
    async pi({ files, cwd }) {
      const runner = await piRunner(files, cwd);
      const emit = (turnIndex: number): Promise<unknown> =>
        runner.emit({ type: 'turn_start', turnIndex, timestamp: 1 });
      return { perEvent: await perEvent(emit) };
    },
  },
});

const READER = `export default function (pi: any) {
  pi.on('context', async (event: { messages: { role: string; content: unknown }[] }) => {
    let parts = 0;
    for (const { content } of event.messages) parts += Array.isArray(content) ? content.length : 1;
    if (parts === 0) throw new Error('nothing to read');
  });
}
`;

interface Context {
  readonly hooks: OpenHooks;
  readonly conversation: FakeConversation;
  readonly messages: readonly AgentMessage[];
  readonly entryIds: readonly string[];
  readonly files: readonly string[];
  readonly cwd: string;
}

const context = benchCase<Context>({
  rows: [
    {
      name: 'context event with 10,000 messages (19 MB), a handler that reads',
      figure: 'ms',
      unit: 'ms',
      aim: { figure: 3, ratio: 3 / 2.2 },
    },
  ],
  async setUp(folder) {
    const files = writeHooks(folder, [READER]);
    const hooks = await openHooks({ cwd: folder, cacheDir: join(folder, 'cache') });
    mkdirSync(join(folder, 'agent'), { recursive: true });
    const conversation = new FakeConversation();
    hooks.host.attach(conversation);
    const messages = historyOf(10_000, 1_900);
    return { hooks, conversation, messages, entryIds: messages.map((_, at) => `e${at}`), files, cwd: folder };
  },
  tearDown: ({ hooks }) => hooks.close(),
  rounds: 9,
  measure: {
    raw: async ({ messages }) => ({
      ms: await cpuEachMs(async () => {
        const copies = messages.map(message => {
          const copy = { ...message } as { content?: unknown };
          if (Array.isArray(copy.content)) copy.content = copy.content.map(part => ({ ...(part as object) }));
          return copy;
        });
        await readAll(copies);
      }),
    }),
    ours: async ({ hooks, conversation, messages, entryIds }) => ({
      ms: await cpuEachMs(
        () => hooks.host.runner.emit({ type: 'context', messages, entryIds }, conversation),
        () => setImmediate(), // A hook that works for ten seconds in one turn of the event loop is stopped.
      ),
    }),
    pi: async ({ files, cwd, messages }) => {
      const runner = await piRunner(files, cwd);
      return { ms: await cpuEachMs(() => runner.emitContext(messages)) };
    },
  },
});

// The handler of READER, without a host around it.
// eslint-disable-next-line @typescript-eslint/require-await
async function readAll(messages: readonly { readonly content?: unknown }[]): Promise<void> {
  let parts = 0;
  for (const { content } of messages) parts += Array.isArray(content) ? content.length : 1;
  if (parts === 0) throw new Error('nothing to read');
}

await bench(dispatch, context);
