import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GrowthResult } from '../../scripts/support/growth-plot.ts';
import { writeSession } from '../support/bench-data';
import { openHooks, WORKER_FILE, writeHooks } from '../support/bench-hooks';
import { cost, cpuEachMs, wallMs } from '../support/bench-measure';
import { measurePage, openPageBench } from '../support/bench-page';
import { ProgramPlace, programs } from '../support/bench-program';
import { loadSessions, openSession } from '../support/bench-session';
import { closeTalk, openTalk, turnsOf } from '../support/bench-turn';
import { FakeConversation } from '../support/fake-conversation';
import { ScriptedLlm } from '../support/scripted-llm';

/** Each point is the least of so many measurements: what other programs add is never less than nothing. */
const ROUNDS = 3;

interface Curve extends Omit<GrowthResult, 'points'> {
  readonly sizes: readonly number[];
  /** Gets an empty folder that is removed at the end. */
  readonly measure: (size: number, folder: string) => Promise<number>;
}

const ENTRIES = [1_000, 10_000, 30_000, 60_000, 100_000];

const CURVES: readonly Curve[] = [
  {
    name: 'turn-by-history',
    title: 'Host thread per turn',
    size: 'messages before it',
    unit: 'µs',
    sizes: [0, 1_000, 2_500, 5_000, 10_000],
    async measure(history, folder) {
      const talk = await openTalk(folder, 1, history);
      try {
        await turnsOf(talk);
        return (await turnsOf(talk)).perTurn;
      } finally {
        await closeTalk(talk);
      }
    },
  },
  {
    name: 'event-by-hooks',
    title: 'Host thread per event',
    size: 'hooks that handle it',
    unit: 'µs',
    sizes: [1, 10, 25, 50, 100],
    measure: perEvent,
  },
  {
    name: 'open-by-entries',
    title: 'Host thread to open a session',
    size: 'entries of 2 kB',
    unit: 'ms',
    sizes: ENTRIES,
    measure: async (entries, folder) => (await opened(entries, folder)).cpu,
  },
  {
    name: 'memory-by-entries',
    title: 'Memory that an open session holds',
    size: 'entries of 2 kB',
    unit: 'MB',
    sizes: ENTRIES,
    measure: async (entries, folder) => (await opened(entries, folder)).kept,
  },
  {
    name: 'reload-by-hooks',
    title: 'From a save to the new handlers',
    size: 'hooks',
    unit: 'ms',
    sizes: [1, 10, 25, 50, 100],
    measure: reloadOne,
  },
  {
    name: 'page-by-messages',
    title: 'Until the chat page is drawn',
    size: 'messages',
    unit: 'ms',
    sizes: [500, 1_000, 2_500, 5_000],
    async measure(messages, folder) {
      const page = await openPageBench(folder);
      try {
        return (await measurePage(page, 'near', messages))['drawn'] ?? Number.NaN;
      } finally {
        await page.browser.close();
      }
    },
  },
  {
    name: 'start-by-packages',
    title: 'Computing of one turn on the command line',
    size: 'packages',
    unit: 's',
    sizes: [0, 5, 10, 20],
    measure: startWith,
  },
];

const HANDLER = `export default function (pi: any) {
  let seen = 0;
  pi.on('turn_start', async (event: { turnIndex: number }) => {
    seen += event.turnIndex;
  });
}
`;

const EVENTS = 500;

async function perEvent(count: number, folder: string): Promise<number> {
  writeHooks(folder, Array<string>(count).fill(HANDLER));
  const hooks = await openHooks({ cwd: folder, cacheDir: join(folder, 'cache') });
  try {
    const conversation = new FakeConversation();
    hooks.host.attach(conversation);
    const ms = await cpuEachMs(async () => {
      for (let turnIndex = 0; turnIndex < EVENTS; turnIndex++) {
        await hooks.host.runner.emit({ type: 'turn_start', turnIndex, timestamp: 1 }, conversation);
      }
    });
    return (ms * 1000) / EVENTS;
  } finally {
    await hooks.close();
  }
}

async function opened(entries: number, folder: string): ReturnType<typeof cost> {
  const file = join(folder, 'session.jsonl');
  writeSession(file, { entries, bytesPerEntry: 2_070, compactedBefore: 500 });
  const sessions = await loadSessions();
  let session: Awaited<ReturnType<typeof openSession>> | undefined;
  const found = await cost(async () => (session = await openSession(file, sessions)));
  await session?.store.dispose();
  return found;
}

let saves = 0;

async function reloadOne(count: number, folder: string): Promise<number> {
  const [file = ''] = writeHooks(folder, Array<string>(count).fill(HANDLER));
  const hooks = await openHooks({ cwd: folder, cacheDir: join(folder, 'cache'), workerFile: WORKER_FILE });
  try {
    hooks.host.attach(new FakeConversation());
    return await wallMs(async () => {
      writeFileSync(file, `${HANDLER}// ${++saves}\n`);
      await hooks.host.reload();
    });
  } finally {
    await hooks.close();
  }
}

async function startWith(count: number): Promise<number> {
  const [ours] = programs();
  if (ours === undefined) throw new Error('the command line of this bench was not built');
  const place = new ProgramPlace(ours);
  const llm = await ScriptedLlm.start();
  try {
    place.useLlm(llm);
    const names = Array.from({ length: count }, (_, at) => `package-${at}`);
    for (const name of names) {
      place.file(
        `${name}/package.json`,
        JSON.stringify({ name, version: '1.0.0', pi: { extensions: ['./index.ts'] } }),
      );
      place.file(`${name}/index.ts`, HANDLER);
    }
    const settings = { defaultProvider: 'scripted', defaultModel: 'one' };
    const packages = names.map(name => join(place.root, name));
    place.file('agent/settings.json', JSON.stringify({ ...settings, packages }));
    // What is compiled once is compiled by the first of them.
    for (const isFirst of [true, false]) {
      llm.reply({ text: 'done' });
      const { cpu } = await place.run(['--approve-packages', '-p', 'go']);
      if (!isFirst) return cpu;
    }
    return Number.NaN;
  } finally {
    await llm.stop();
    place.remove();
  }
}

async function leastOf({ measure }: Curve, size: number, rounds: number): Promise<number> {
  const found: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const folder = mkdtempSync(join(tmpdir(), 'hookline-growth-'));
    try {
      globalThis.gc?.();
      found.push(await measure(size, folder));
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }
  return Math.min(...found);
}

const asked = process.env['HOOKLINE_BENCH_ROW'] ?? '';
for (const curve of CURVES.filter(({ name }) => name.includes(asked))) {
  const { name, title, size, unit, sizes } = curve;
  process.stderr.write(`  ${title}, by ${size}\n`);
  const points: { x: number; y: number }[] = [];
  // Code that nothing has run yet is slow, so one measurement comes before those that count.
  await leastOf(curve, sizes[0] ?? 0, 1);
  for (const x of sizes) points.push({ x, y: await leastOf(curve, x, ROUNDS) });
  const result: GrowthResult = { name, title, size, unit, points };
  appendFileSync(process.env['HOOKLINE_BENCH_GROWTH'] ?? '', `${JSON.stringify(result)}\n`);
}
