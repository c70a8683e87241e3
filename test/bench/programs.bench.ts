import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProgramResult, ProgramRun } from '../../scripts/support/program-table.ts';
import { messageOf } from '../../src/base/errors';
import { writeSession } from '../support/bench-data';
import { peerFolder } from '../support/bench-peer';
import { ProgramPlace, programs, type Program, type Reader } from '../support/bench-program';
import { ScriptedLlm, type ScriptedReply } from '../support/scripted-llm';

const ROUNDS = 3;
/** A program that needs longer than this, in seconds of computing, is measured once. */
const SLOW_S = 8;
/** Where our program keeps which packages a person approved. */
const APPROVALS = 'agent/hookline/packages.json';

interface Work {
  readonly name: string;
  readonly args: (place: ProgramPlace) => readonly string[];
  /** The answers of the model, one per request. */
  readonly replies?: readonly ScriptedReply[];
  readonly hooks?: number;
  /** A package of npm that the person installed and approved. */
  readonly package?: string;
  /** Files that each run needs anew. */
  readonly prepare?: (place: ProgramPlace) => void;
  /** Each run in a place where nothing ran before; else a first run comes before those that count. */
  readonly isFirst?: boolean;
  readonly reader?: Reader;
}

const HOOK = `import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

interface Rule { readonly pattern: RegExp; readonly reason: string }

const rules: readonly Rule[] = [
  { pattern: /\\brm\\s+-rf?\\b/, reason: 'deletes' },
  { pattern: /\\bsudo\\b/, reason: 'asks for too much' },
];

export default function (pi: ExtensionAPI): void {
  const seen = new Map<string, number>();
  pi.on('tool_call', async (event: any) => {
    seen.set(event.toolName, (seen.get(event.toolName) ?? 0) + 1);
    const rule = rules.find(({ pattern }) => pattern.test(String(event.input.command ?? '')));
    return rule === undefined ? undefined : { block: true, reason: rule.reason };
  });
  pi.on('tool_result', async () => undefined);
}
`;

const DONE: ScriptedReply = { text: 'done' };
const ASK = (): readonly string[] => ['-p', 'go'];
const SESSION = 'long.jsonl';

const deltas = (count: number): ScriptedReply => ({ text: Array.from({ length: count }, () => 'some words ') });

/** Turns that read a small file each, and the answer at the end. */
function reads(count: number): readonly ScriptedReply[] {
  const call = { name: 'read', arguments: { path: 'small.txt' }, pieceSize: 20 };
  return [...Array.from({ length: count - 1 }, () => ({ text: 'I read it', toolCalls: [call] })), DONE];
}

function write(bytes: number): readonly ScriptedReply[] {
  const content = 'a line of text that is written\n'.repeat(bytes / 31);
  return [{ toolCalls: [{ name: 'write', arguments: { path: 'big.txt', content }, pieceSize: 20 }] }, DONE];
}

function longSession(place: ProgramPlace): void {
  writeSession(place.file(SESSION, ''), { entries: 10_000, bytesPerEntry: 2_300, cwd: place.cwd });
}

/** Packages that people use, as pinned for the tests; none without `--peers`. */
const PACKAGES = peerFolder('packages');
const PACKAGE_NAMES = 'pi-subagents pi-mcp-adapter pi-web-access pi-prompt-template-model pi-mermaid pi-aliases'.split(
  ' ',
);

const PACKAGE_WORKS: readonly Work[] = PACKAGE_NAMES.flatMap(name => [
  { name: `one turn with ${name}, first ever`, args: ASK, replies: [DONE], package: name, isFirst: true },
  { name: `one turn with ${name}, next`, args: ASK, replies: [DONE], package: name },
]);

const WORKS: readonly Work[] = [
  { name: 'start (--version)', args: () => ['--version'] },
  { name: 'one turn', args: ASK, replies: [DONE] },
  { name: 'one turn, 10 hooks, first ever', args: ASK, replies: [DONE], hooks: 10, isFirst: true },
  { name: 'one turn, 10 hooks, next', args: ASK, replies: [DONE], hooks: 10 },
  { name: '200 turns with read, 10 hooks', args: ASK, replies: reads(200), hooks: 10 },
  { name: '1,000 turns with read, 10 hooks', args: ASK, replies: reads(1_000), hooks: 10 },
  { name: 'one write of 50 kB in deltas of 20 bytes', args: ASK, replies: write(50_000) },
  { name: 'one write of 200 kB in deltas of 20 bytes', args: ASK, replies: write(200_000) },
  { name: '20,000 deltas, printed', args: ASK, replies: [deltas(20_000)] },
  { name: '20,000 deltas, --mode json', args: () => ['--mode', 'json', 'go'], replies: [deltas(20_000)] },
  {
    name: '20,000 deltas, --mode json, read at 1 MB/s',
    args: () => ['--mode', 'json', 'go'],
    replies: [deltas(20_000)],
    reader: { bytesPerSecond: 1_000_000 },
  },
  {
    name: 'continue 10,000 entries (23 MB), one turn',
    args: place => ['--session', join(place.root, SESSION), '-p', 'go'],
    replies: [DONE],
    prepare: longSession,
  },
  {
    name: 'export of 10,000 entries (23 MB) to HTML',
    args: place => ['--export', join(place.root, SESSION), 'out.html'],
    prepare: longSession,
  },
  ...(PACKAGES === undefined ? [] : PACKAGE_WORKS),
];

async function measure(work: Work): Promise<ProgramResult['runs']> {
  const measured = programs().map(program => ({ program, runs: [] as ProgramRun[], isDone: !isAble(program, work) }));
  const places = new Map<Program, ProgramPlace>();
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const each of measured.filter(({ isDone }) => !isDone)) {
        const run = await attempt(work, each.program, places);
        if (run !== undefined) each.runs.push(run);
        each.isDone = run === undefined || run.cpu > SLOW_S;
      }
    }
  } finally {
    for (const place of places.values()) place.remove();
  }
  return Object.fromEntries(measured.map(({ program, runs }) => [program.name, runs]));
}

/** Undefined for a peer that cannot do the work, which is told; ours has to. */
async function attempt(
  work: Work,
  program: Program,
  places: Map<Program, ProgramPlace>,
): Promise<ProgramRun | undefined> {
  try {
    return await once(work, program, places);
  } catch (error) {
    if (isOurs(program)) throw error;
    process.stderr.write(`    ${messageOf(error)}\n`);
    return undefined;
  }
}

/** pi 0.73.1 starts without these packages, so there is nothing to compare. */
function isAble({ name }: Program, work: Work): boolean {
  return work.package === undefined || name !== 'pi 0.73.1';
}

function isOurs({ name }: Program): boolean {
  return name.startsWith('Hookline');
}

async function once(work: Work, program: Program, places: Map<Program, ProgramPlace>): Promise<ProgramRun> {
  if (work.isFirst === true) {
    places.get(program)?.remove();
    places.delete(program);
  }
  const known = places.get(program);
  const place = known ?? (await newPlace(work, program));
  places.set(program, place);
  // What is compiled once is compiled now, of that part which each run takes.
  const isWarm = known !== undefined || work.isFirst === true;
  if (!isWarm) await runIn(place, { ...work, replies: work.replies?.slice(-1) ?? [], reader: 'fast' });
  return runIn(place, work);
}

async function newPlace(work: Work, program: Program): Promise<ProgramPlace> {
  const place = new ProgramPlace(program);
  for (let at = 0; at < (work.hooks ?? 0); at++) place.file(`agent/extensions/hook-${at}.ts`, HOOK);
  place.file('work/small.txt', 'a small file\n');
  if (work.package !== undefined && PACKAGES !== undefined) {
    place.layPackages(PACKAGES);
    if (isOurs(program)) place.file(APPROVALS, await approvalsOf(work.package, program, PACKAGES));
  }
  return place;
}

const approved = new Map<string, string>();

/** What our program keeps once a person approved the package. */
async function approvalsOf(name: string, program: Program, folder: string): Promise<string> {
  const known = approved.get(name);
  if (known !== undefined) return known;
  const place = new ProgramPlace(program);
  try {
    place.layPackages(folder);
    const args = (): readonly string[] => ['--approve-packages', ...ASK()];
    await runIn(place, { name, args, replies: [DONE], package: name });
    const text = readFileSync(join(place.root, APPROVALS), 'utf8');
    approved.set(name, text);
    return text;
  } finally {
    place.remove();
  }
}

async function runIn(place: ProgramPlace, work: Work): Promise<ProgramRun> {
  const { args, replies = [], prepare, reader } = work;
  prepare?.(place);
  const llm = await ScriptedLlm.start();
  try {
    llm.reply(...replies);
    place.useLlm(llm, work.package === undefined ? {} : { packages: [`npm:${work.package}`] });
    const run = await place.run(args(place), reader);
    if (llm.pending > 0) throw new Error(`${llm.pending} answers were not asked for`);
    return run;
  } finally {
    await llm.stop();
  }
}

const asked = process.env['HOOKLINE_BENCH_ROW'] ?? '';
for (const work of WORKS.filter(({ name }) => name.includes(asked))) {
  process.stderr.write(`  ${work.name}\n`);
  const result: ProgramResult = { name: work.name, runs: await measure(work) };
  appendFileSync(process.env['HOOKLINE_BENCH_PROGRAMS'] ?? '', `${JSON.stringify(result)}\n`);
}
