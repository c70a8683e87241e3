import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bench, benchCase, type BenchCase } from '../support/bench';
import { writeSession } from '../support/bench-data';
import { cost } from '../support/bench-measure';
import { importPi } from '../support/bench-peer';
import { loadSessions, openSession } from '../support/bench-session';

/** What is used of pi's SessionManager. */
interface PiSessions {
  readonly SessionManager: {
    open(file: string): { buildSessionContext(): unknown };
    list(cwd: string, dir: string): Promise<readonly unknown[]>;
  };
}

/** Entries at the end that are parsed: what is drawn. */
const TAIL_ENTRIES = 1_000;

/** Finds where the lines begin, block by block, and parses the last ones. */
function openLazily(file: string): unknown {
  const fd = openSync(file, 'r');
  const block = Buffer.allocUnsafe(512 * 1024);
  const starts: number[] = [0];
  let size = 0;
  for (;;) {
    const count = readSync(fd, block, 0, block.length, size);
    if (count === 0) break;
    const bytes = block.subarray(0, count);
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) starts.push(size + at + 1);
    size += count;
  }
  const from = starts.at(-TAIL_ENTRIES - 1) ?? 0;
  const tail = Buffer.allocUnsafe(size - from);
  readSync(fd, tail, 0, tail.length, from);
  closeSync(fd);
  const entries = tail.toString('utf8').trimEnd().split('\n').map(parse);
  if (entries.length !== TAIL_ENTRIES) throw new Error('the session was not read');
  return { starts, entries };
}

function parse(line: string): { readonly type?: string; readonly message?: { readonly content?: unknown } } {
  return JSON.parse(line) as ReturnType<typeof parse>; // Lines that this bench wrote.
}

function opening(
  given: Pick<BenchCase<string>, 'rows' | 'rounds' | 'isBig'> & { readonly entries: number; readonly pi: boolean },
): BenchCase<never> {
  const { rows, rounds, isBig, entries, pi } = given;
  return benchCase<string>({
    rows,
    ...(rounds === undefined ? {} : { rounds }),
    ...(isBig === undefined ? {} : { isBig }),
    setUp(folder) {
      const file = join(folder, 'session.jsonl');
      writeSession(file, { entries, bytesPerEntry: 2_070, compactedBefore: 500 });
      return file;
    },
    isolated: true,
    measure: {
      raw: file => cost(() => openLazily(file)),
      async ours(file) {
        const product = await loadSessions();
        return cost(() => openSession(file, product));
      },
      ...(pi
        ? {
            async pi(file: string) {
              const { SessionManager } = await importPi<PiSessions>('core/session-manager.js');
              return cost(() => {
                const manager = SessionManager.open(file);
                return { manager, context: manager.buildSessionContext() };
              });
            },
          }
        : {}),
    },
  });
}

const large = opening({
  rows: [
    {
      name: 'open a session of 100,000 entries (207 MB): longest stall',
      figure: 'stall',
      unit: 'ms',
      aim: { figure: 200, ratio: 200 / 159 },
    },
    { name: 'open a session of 100,000 entries (207 MB): host thread', figure: 'cpu', unit: 'ms' },
    {
      name: 'open a session of 100,000 entries (207 MB): memory at its peak',
      figure: 'mb',
      unit: 'MB',
      aim: { figure: 40, ratio: 40 / 15 },
    },
    {
      name: 'open a session of 100,000 entries (207 MB): memory held',
      figure: 'kept',
      unit: 'MB',
      aim: { figure: 40 },
    },
  ],
  entries: 100_000,
  rounds: 3,
  pi: true,
});

const huge = opening({
  rows: [
    { name: 'open a session of 620 MB: longest stall', figure: 'stall', unit: 'ms', aim: { figure: 200 } },
    { name: 'open a session of 620 MB: memory at its peak', figure: 'mb', unit: 'MB' },
    { name: 'open a session of 620 MB: memory held', figure: 'kept', unit: 'MB' },
  ],
  entries: 300_000,
  rounds: 2,
  isBig: true,
  pi: false,
});

const SESSIONS = 500;
const END_BYTES = 4_096;

function writeSessions(folder: string): string {
  for (let at = 0; at < SESSIONS; at++) {
    writeSession(join(folder, `${at}.jsonl`), { entries: 200, bytesPerEntry: 2_060, id: `session-${at}` });
  }
  return folder;
}

/** Header, first words and last entry of each file, from its two ends. */
async function listLazily(dir: string): Promise<void> {
  const buffer = Buffer.allocUnsafe(END_BYTES);
  const infos = (await readdir(dir)).map(name => {
    const file = join(dir, name);
    const { size, mtimeMs } = statSync(file);
    const fd = openSync(file, 'r');
    const head = buffer
      .toString('utf8', 0, readSync(fd, buffer, 0, END_BYTES, 0))
      .split('\n')
      .slice(0, -1);
    const tail = buffer
      .toString('utf8', 0, readSync(fd, buffer, 0, END_BYTES, size - END_BYTES))
      .split('\n')
      .slice(1);
    closeSync(fd);
    const first = head.map(parse).find(entry => entry.message !== undefined);
    return { file, size, mtimeMs, first, last: tail.length };
  });
  if (infos.length !== SESSIONS || infos.some(({ first }) => first === undefined)) {
    throw new Error('not all were listed');
  }
}

/** Whether any of them changed. */
async function statAll(dir: string): Promise<number> {
  const sizes = (await readdir(dir)).map(name => statSync(join(dir, name)).size);
  return sizes.reduce((sum, size) => sum + size, 0);
}

const list = benchCase<string>({
  rows: [
    {
      name: 'list 500 sessions (206 MB): host thread',
      figure: 'cpu',
      unit: 'ms',
      aim: { figure: 40, ratio: 40 / 27 },
    },
    { name: 'list 500 sessions (206 MB): memory', figure: 'mb', unit: 'MB', aim: { figure: 15, ratio: 15 / 9 } },
  ],
  setUp: writeSessions,
  isolated: true,
  rounds: 3,
  measure: {
    raw: dir => cost(() => listLazily(dir)),
    async ours(dir) {
      const { SessionList } = await import('../../src/agent/session/library/session-list');
      return cost(async () => {
        const infos = await new SessionList(dir).list();
        if (infos.length !== SESSIONS || infos.some(({ firstText }) => firstText === '')) {
          throw new Error('not all were listed');
        }
      });
    },
    async pi(dir) {
      const { SessionManager } = await importPi<PiSessions>('core/session-manager.js');
      return cost(() => SessionManager.list('/w', dir));
    },
  },
});

const listAgain = benchCase<string>({
  rows: [{ name: 'list 500 sessions (206 MB) again: host thread', figure: 'cpu', unit: 'ms', aim: { figure: 10 } }],
  setUp: writeSessions,
  isolated: true,
  rounds: 3,
  measure: {
    raw: async dir => {
      await listLazily(dir);
      return cost(() => statAll(dir));
    },
    async ours(dir) {
      const { SessionList } = await import('../../src/agent/session/library/session-list');
      const sessions = new SessionList(dir);
      await sessions.list();
      return cost(async () => {
        if ((await sessions.list()).length !== SESSIONS) throw new Error('not all were listed');
      });
    },
  },
});

await bench(large, huge, list, listAgain);
