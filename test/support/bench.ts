import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Aim, BenchResult, Contender } from '../../scripts/support/bench-table.ts';
import { profiled } from './bench-profile';

/** What one measurement found, by name; each name that is shown has a row. */
export type Figures = Readonly<Record<string, number>>;

export interface BenchRow {
  readonly name: string;
  /** Which of the case's figures. */
  readonly figure: string;
  readonly unit: 'µs' | 'ms' | 'kB' | 'MB' | 'left' | 'elements';
  readonly aim?: Aim;
}

/** Figures that are measured together. `D` is what `setUp` made; it must be plain JSON when `isolated`. */
export interface BenchCase<D> {
  readonly rows: readonly BenchRow[];
  /** Gets an empty folder that is removed at the end. */
  readonly setUp?: (folder: string) => D | Promise<D>;
  /** Not called when `setUp` failed. */
  readonly tearDown?: (data: D) => void | Promise<void>;
  readonly measure: { readonly [C in Contender]?: (data: D) => Figures | Promise<Figures> };
  /** Each measurement in a process of its own: for memory, and for what is only cold once. */
  readonly isolated?: boolean;
  /** Interleaved measurements of each contender. */
  readonly rounds?: number;
  /** Measured only with `--big`. */
  readonly isBig?: boolean;
  /** Measured only with `--peers`. */
  readonly needsPeers?: boolean;
}

const ROUNDS = 5;
const CONTENDERS: readonly Contender[] = ['raw', 'ours', 'pi'];

/**
 * Measures the cases of one bench file that `npm run bench` asked for, and writes their rows. A measurement that throws
 * ends the process with an error; nothing is asserted.
 */
export async function bench(...cases: readonly BenchCase<never>[]): Promise<void> {
  const part = process.env['HOOKLINE_BENCH_PART'];
  if (part !== undefined) {
    await measurePart(cases, part);
    return;
  }
  const chosen = cases.filter(each => each.rows.some(({ name }) => name.includes(setting('ROW') ?? '')));
  for (const each of chosen) write(each, {}, 'the bench ended before it');
  for (const each of chosen) {
    if (each.isBig === true && setting('BIG') === undefined) write(each, {}, 'only with --big');
    else if (each.needsPeers === true && setting('PEERS') === undefined) write(each, {}, 'only with --peers');
    else await measure(each, cases.indexOf(each));
  }
}

/** Lets cases of different data stand in one list. */
export function benchCase<D>(given: BenchCase<D>): BenchCase<never> {
  return given as unknown as BenchCase<never>; // `measure` hands each case back its own data only.
}

function setting(name: string): string | undefined {
  const value = process.env[`HOOKLINE_BENCH_${name}`];
  return value === '' ? undefined : value;
}

async function measure(given: BenchCase<never>, index: number): Promise<void> {
  process.stderr.write(`  ${given.rows.map(({ name }) => name).join('; ')}\n`);
  const folder = mkdtempSync(join(tmpdir(), 'hookline-bench-'));
  let data: unknown;
  try {
    if (given.setUp !== undefined) data = await given.setUp(folder);
    const found: Record<Contender, Figures[]> = { raw: [], ours: [], pi: [] };
    for (let round = 0; round < (given.rounds ?? ROUNDS); round++) {
      for (const contender of contendersOf(given)) found[contender].push(await once(given, { index, contender, data }));
    }
    write(given, found);
  } finally {
    if (data !== undefined && given.tearDown !== undefined) await given.tearDown(data as never);
    rmSync(folder, { recursive: true, force: true });
  }
}

function contendersOf(given: BenchCase<never>): readonly Contender[] {
  const isAsked = (contender: Contender): boolean => contender !== 'pi' || setting('PEERS') !== undefined;
  return CONTENDERS.filter(contender => given.measure[contender] !== undefined && isAsked(contender));
}

async function once(given: BenchCase<never>, part: Part): Promise<Figures> {
  if (given.isolated === true) return measureApart(part);
  globalThis.gc?.();
  return measureHere(given, part);
}

async function measureHere(given: BenchCase<never>, { contender, data }: Part): Promise<Figures> {
  const folder = contender === 'ours' ? setting('PROFILES') : undefined;
  const work = async (): Promise<Figures> => (await given.measure[contender]?.(data as never)) ?? {};
  return folder === undefined ? work() : profiled(folder, given.rows[0]?.name ?? '', work);
}

function write(given: BenchCase<never>, found: Partial<Record<Contender, readonly Figures[]>>, why?: string): void {
  const file = setting('RESULTS');
  if (file === undefined) throw new Error('Benches are started by `npm run bench`.');
  for (const { name, figure, unit, aim = {} } of given.rows) {
    const values = Object.fromEntries(
      CONTENDERS.flatMap(contender => {
        const list = (found[contender] ?? []).flatMap(figures => figures[figure] ?? []);
        return list.length === 0 ? [] : [[contender, list]];
      }),
    );
    const result: BenchResult = { name, unit, aim, values, ...(why === undefined ? {} : { notMeasured: why }) };
    appendFileSync(file, `${JSON.stringify(result)}\n`);
  }
}

interface Part {
  readonly index: number;
  readonly contender: Contender;
  readonly data: unknown;
}

/** Measures once in a fresh process that runs this same bench file. */
function measureApart(part: Part): Promise<Figures> {
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? ''], {
    env: { ...process.env, HOOKLINE_BENCH_PART: JSON.stringify(part) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    let figures: Figures | undefined;
    child.once('message', message => (figures = message as Figures));
    child.once('error', reject);
    child.once('exit', code => {
      if (figures === undefined) reject(new Error(`the ${part.contender} measurement ended with code ${String(code)}`));
      else resolve(figures);
    });
  });
}

async function measurePart(cases: readonly BenchCase<never>[], text: string): Promise<void> {
  const part = JSON.parse(text) as Part; // Written by measureApart.
  const given = cases[part.index];
  const figures = given === undefined ? {} : await measureHere(given, part);
  await new Promise<void>(resolve => {
    process.send?.(figures, () => resolve());
  });
  process.exit(0);
}
