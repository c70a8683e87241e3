import { cpus, loadavg } from 'node:os';

/** Who is measured: the most direct code that gives the same kind of result, this product, and the real pi. */
export type Contender = 'raw' | 'ours' | 'pi';

/** What is aimed at. */
export interface Aim {
  /** In the row's unit. */
  readonly figure?: number;
  /** How often raw's figure that is. */
  readonly ratio?: number;
}

/** A row of the table; one JSON text per line of the results file, the latest of a name counts. */
export interface BenchResult {
  readonly name: string;
  readonly unit: string;
  readonly aim: Aim;
  /** One a round. */
  readonly values: { readonly [C in Contender]?: readonly number[] };
  /** Why there are no values. */
  readonly notMeasured?: string;
}

/**
 * Prints one row per name, the latest result of a name. Figures are medians with minimum and maximum; the ratio is the
 * median over the rounds, each of which measured both sides one after the other.
 */
export function printBenchTable(results: readonly BenchResult[]): void {
  const rows = [...new Map(results.map(result => [result.name, result])).values()];
  const withPi = rows.some(({ values }) => values.pi);
  const header = ['row', 'raw', ...(withPi ? ['pi 0.73.1'] : []), 'ours', 'ours/raw', 'aim', 'verdict'];
  const body = rows.map(row => cellsOf(row, withPi));
  console.log(`\n${machineText()}`);
  console.log('median (minimum–maximum)\n');
  printTable(header, body);
}

/** Processors, load and Node of this run. */
export function machineText(): string {
  const processors = cpus();
  const load = loadavg()
    .map(value => value.toFixed(1))
    .join(' ');
  return `${processors.length} processors (${processors[0]?.model ?? 'unknown'}), load ${load}, Node ${process.version}`;
}

/** Prints a Markdown table whose columns are as wide as they must be. */
export function printTable(header: readonly string[], body: readonly (readonly string[])[]): void {
  const widths = header.map((title, at) =>
    Math.max(...[title, ...body.map(cells => cells[at] ?? '')].map(cell => cell.length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  for (const cells of [header, widths.map(width => '-'.repeat(width)), ...body]) console.log(line(cells));
}

function cellsOf({ name, unit, aim, notMeasured, values }: BenchResult, withPi: boolean): string[] {
  const { raw, ours, pi } = values;
  const spread = (list: readonly number[] | undefined): string =>
    list ? `${figure(median(list))} ${unit} (${figure(Math.min(...list))}–${figure(Math.max(...list))})` : '–';
  const ratio = raw && ours ? median(ours.map((value, at) => value / (raw[at] ?? Number.NaN))) : undefined;
  const verdict = ours ? verdictOf(median(ours), ratio, aim) : `not measured: ${notMeasured ?? 'no figure'}`;
  const middle = [spread(raw), ...(withPi ? [spread(pi)] : []), spread(ours)];
  return [name, ...middle, ratio === undefined ? '–' : `${figure(ratio)} ×`, aimText(aim, unit), verdict];
}

/** The aims were set on another machine: what holds there as a figure is also asked as a multiple of raw. */
function verdictOf(value: number, ratio: number | undefined, aim: Aim): string {
  const asked: (readonly [way: string, isMet: boolean])[] = [];
  if (aim.figure !== undefined) asked.push(['figure', value <= aim.figure]);
  if (aim.ratio !== undefined && ratio !== undefined) asked.push(['ratio', ratio <= aim.ratio]);
  if (asked.length === 0) return 'no aim';
  const met = asked.filter(([, isMet]) => isMet);
  if (met.length === asked.length) return 'met';
  return met[0] === undefined ? 'not met' : `met as ${met[0][0]} only`;
}

function aimText(aim: Aim, unit: string): string {
  const parts: string[] = [];
  if (aim.figure !== undefined) parts.push(`≤ ${figure(aim.figure)} ${unit}`);
  if (aim.ratio !== undefined) parts.push(`≤ ${figure(aim.ratio)} ×`);
  return parts.length === 0 ? '–' : parts.join(', ');
}

function figure(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}

function median(list: readonly number[]): number {
  const sorted = [...list].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [below = Number.NaN, above = Number.NaN] = sorted.slice(middle - 1);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? Number.NaN) : (below + above) / 2;
}
