import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runText, tableText } from './bench-table.ts';

/** How a cost grows with a size. Each line of the results file is one as JSON. */
export interface GrowthResult {
  /** Name of the picture's file, without `.svg`. */
  readonly name: string;
  readonly title: string;
  /** What `x` counts. */
  readonly size: string;
  readonly unit: string;
  /** At least three, in the order of increasing `x`. */
  readonly points: readonly GrowthPoint[];
}

interface GrowthPoint {
  readonly x: number;
  readonly y: number;
}

/** Prints one row per curve, and draws each curve into `<folder>/<name>.svg`. */
export function showGrowth(results: readonly GrowthResult[], folder: string): void {
  const rows = results.map(({ title, size, unit, points }) => {
    const ends = [points[0], points.at(-1)].map(end => `${round(end?.y ?? 0)} ${unit} at ${count(end?.x ?? 0)}`);
    return [title, size, ...ends, bendOf(points)];
  });
  console.log(`\nHow cost grows. ${runText()}\n\n${tableText(['cost', 'by', 'from', 'to', 'bend'], rows)}`);
  mkdirSync(folder, { recursive: true });
  for (const result of results) writeFileSync(join(folder, `${result.name}.svg`), svgOf(result));
}

/** How much steeper the last segment is than the whole curve: 1 for a straight line, more for a curve that bends upward. */
function bendOf(points: readonly GrowthPoint[]): string {
  const [first, ...others] = points;
  const [before, last] = others.slice(-2);
  if (first === undefined || before === undefined || last === undefined) return '–';
  const steepness = (from: GrowthPoint, to: GrowthPoint): number => (to.y - from.y) / (to.x - from.x);
  const whole = steepness(first, last);
  // For a flat curve, the steepness of one segment is random.
  if (last.y < first.y * 1.5) return 'flat';
  return (steepness(before, last) / whole).toFixed(2);
}

const WIDTH = 420;
const HEIGHT = 240;
const LEFT = 64;
const BOTTOM = 200;
const TOP = 36;
const RIGHT = WIDTH - 24;
const MARKS = 4;

/** Draws the curve with both axes from zero, and labels in a gray that is readable on white and on black. */
function svgOf({ title, size, unit, points }: GrowthResult): string {
  const most = (values: readonly number[]): number => Math.max(...values);
  const xEnd = most(points.map(({ x }) => x));
  const yEnd = niceEnd(most(points.map(({ y }) => y)));
  const across = (x: number): string => (LEFT + ((RIGHT - LEFT) * x) / xEnd).toFixed(1);
  const up = (y: number): string => (BOTTOM - ((BOTTOM - TOP) * y) / yEnd).toFixed(1);
  const marks = Array.from({ length: MARKS + 1 }, (_, at) => at / MARKS);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" ` +
      'font-family="sans-serif" font-size="11" fill="#808080" role="img">',
    `<title>${title}, by ${size}</title>`,
    `<text x="${LEFT}" y="20" font-size="13">${title} (${unit})</text>`,
    ...marks.map(part => {
      const y = up(yEnd * part);
      const label = `<text x="${LEFT - 6}" y="${Number(y) + 4}" text-anchor="end">${round(yEnd * part)}</text>`;
      return `<path d="M${LEFT} ${y}H${RIGHT}" stroke="#80808050"/>${label}`;
    }),
    ...marks.map(part => `<text x="${across(xEnd * part)}" y="216" text-anchor="middle">${count(xEnd * part)}</text>`),
    `<text x="${RIGHT}" y="234" text-anchor="end">${size}</text>`,
    `<path d="M${points.map(({ x, y }) => `${across(x)} ${up(y)}`).join('L')}" fill="none" stroke="#3b8eea" stroke-width="2"/>`,
    ...points.map(({ x, y }) => `<circle cx="${across(x)}" cy="${up(y)}" r="3" fill="#3b8eea"/>`),
    '</svg>\n',
  ].join('\n');
}

/** The end of an axis: the next round number, which is divided into four parts. */
function niceEnd(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 4, 6, 8, 10].find(step => step * power >= value) ?? 10);
}

function round(value: number): string {
  return count(value >= 100 ? Math.round(value) : Number(value.toPrecision(2)));
}

function count(value: number): string {
  return value.toLocaleString('en');
}
