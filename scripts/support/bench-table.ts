import { cpus, loadavg } from 'node:os';

/** What is measured: `raw` is the most direct code with the same kind of result, `ours` is Hookline, `pi` is the real pi. */
export type Contender = 'raw' | 'ours' | 'pi';

/** The limits of a row. */
export interface Aim {
  /** Maximum value, in the row's unit. */
  readonly figure?: number;
  /** Maximum multiple of raw's value. */
  readonly ratio?: number;
}

/** A row of the table. Each line of the results file is one as JSON; the last one of a name is used. */
export interface BenchResult {
  readonly name: string;
  readonly unit: string;
  readonly aim: Aim;
  /** One value per round. */
  readonly values: { readonly [C in Contender]?: readonly number[] };
  /** Why there are no values. */
  readonly notMeasured?: string;
}

/**
 * Markdown with one row per name and its last result. Values are medians with minimum and maximum. The ratio is the median of
 * the ratios of all rounds; each round measures both sides one after the other.
 */
export function benchTable(results: readonly BenchResult[]): string {
  const rows = [...new Map(results.map(result => [result.name, result])).values()];
  const withPi = rows.some(({ values }) => values.pi);
  const header = ['row', 'raw', ...(withPi ? ['pi 0.73.1'] : []), 'ours', 'ours/raw', 'aim', 'verdict'];
  const body = rows.map(row => cellsOf(row, withPi));
  return `${runText()}. Each value is a median (minimum–maximum).\n\n${tableText(header, body)}`;
}

/** A text with the date, processors, load and Node version of this run. */
export function runText(): string {
  const processors = cpus();
  const load = loadavg()
    .map(value => value.toFixed(1))
    .join(' ');
  const date = new Date().toISOString().slice(0, 10);
  const model = processors[0]?.model ?? 'unknown';
  return `Measured on ${date}: ${processors.length} processors (${model}), load ${load}, Node ${process.version}`;
}

/** A Markdown table with aligned columns. */
export function tableText(header: readonly string[], body: readonly (readonly string[])[]): string {
  const widths = header.map((title, at) =>
    Math.max(...[title, ...body.map(cells => cells[at] ?? '')].map(cell => cell.length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [header, widths.map(width => '-'.repeat(width)), ...body].map(line).join('\n');
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

/** Whether the limits are met. They were set on another machine, so a row may also have a limit as a multiple of raw. */
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
