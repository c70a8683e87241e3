import { runText, tableText } from './bench-table.ts';

/** The cost of one run of a whole program. */
export interface ProgramRun {
  /** CPU time of all threads, s. */
  readonly cpu: number;
  /** Elapsed time, s. */
  readonly wall: number;
  /** Peak memory, MB. */
  readonly mb: number;
}

/** A row of the table of whole programs. Each line of the results file is one as JSON. */
export interface ProgramResult {
  readonly name: string;
  /** The runs of each program, by its name; ours is the first. A program that cannot do the work has no runs. */
  readonly runs: Readonly<Record<string, readonly ProgramRun[]>>;
}

/** Up to this multiple of a peer's value, a difference may be random and does not count. */
const NOISE = 1.1;

const FIGURES = ['cpu', 'wall', 'mb'] as const;

/**
 * Markdown with one row per task: the minimum CPU time, elapsed time and peak memory of each program, and where ours is
 * behind.
 */
export function programTable(results: readonly ProgramResult[]): string {
  const programs = [...new Set(results.flatMap(({ runs }) => Object.keys(runs)))];
  const table = tableText(
    ['work', ...programs, 'behind'],
    results.map(({ name, runs }) => [name, ...programs.map(program => cell(runs[program] ?? [])), behind(runs)]),
  );
  return `${runText()}. CPU s · clock s · peak MB, the least of each over the rounds.\n\n${table}`;
}

function cell(runs: readonly ProgramRun[]): string {
  if (runs.length === 0) return '–';
  return `${least(runs, 'cpu').toFixed(2)} · ${least(runs, 'wall').toFixed(2)} · ${least(runs, 'mb').toFixed(0)}`;
}

function behind(runs: ProgramResult['runs']): string {
  const [first, ...peers] = Object.entries(runs);
  const ours = first?.[1] ?? [];
  if (ours.length === 0) return 'not measured';
  const found = peers.flatMap(([peer, theirs]) =>
    FIGURES.filter(figure => least(ours, figure) > NOISE * least(theirs, figure)).map(figure => `${peer} in ${figure}`),
  );
  return found.length === 0 ? 'nobody' : found.join(', ');
}

function least(runs: readonly ProgramRun[], figure: (typeof FIGURES)[number]): number {
  return Math.min(...runs.map(run => run[figure]));
}
