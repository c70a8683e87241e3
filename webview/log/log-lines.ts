import type { LogSpan, LogRow } from '../../src/protocol/log';
import { hookBar, type TimeBar } from '../controls/time-bars';

/** Times of a line are seen on this stretch, ms since the epoch and ms. */
export interface Axis {
  readonly from: number;
  readonly total: number;
}

/** What is known of a turn, or of one tool call in it. */
export interface LogGroup {
  readonly kind: 'turn' | 'call';
  readonly key: string;
  /** Oldest first; of a turn: those of its calls as well. */
  readonly rows: readonly LogRow[];
  /** What went on besides, in order of their beginnings. */
  readonly spans: readonly LogSpan[];
  readonly axis: Axis;
  /** What blocked, or else the last row that decided something. */
  readonly decision: LogRow | undefined;
}

/** One line of the list. */
export type ListLine = { readonly key: string; readonly level: number } & (
  | { readonly type: 'row'; readonly row: LogRow; readonly axis: Axis }
  | { readonly type: 'group'; readonly group: LogGroup; readonly isOpen: boolean }
  /** Handlers that ran one after the other and decided nothing. */
  | { readonly type: 'quiet'; readonly rows: readonly LogRow[]; readonly isOpen: boolean }
);

export interface LineOptions {
  /** Groups and folds that a user opened or closed. */
  readonly toggled: ReadonlySet<string>;
  /** Everything is open: somebody looks for something. */
  readonly isFiltered: boolean;
}

/** Whether a handler ran without anything coming of it. */
function isQuiet({ outcome, changed, askedMs }: LogRow): boolean {
  return outcome === 'nothing' && !changed && askedMs === 0;
}

/**
 * Lines of rows, which come newest first. A turn and a call stand where their newest row would; inside of them time runs
 * down. A turn is known once it is over; until then its calls stand for themselves.
 */
export function logLines(
  rows: readonly LogRow[],
  spans: readonly LogSpan[],
  options: LineOptions,
): readonly ListLine[] {
  const byPlace = groupBy(spans, ({ conversation }) => conversation);
  const turns = new Map([...byPlace].map(([place, all]) => [place, all.filter(({ kind }) => kind === 'turn')]));
  const groups = groupBy(rows, row => groupKey(row, turnOf(row, turns.get(row.conversation) ?? [])));
  return [...groups].flatMap(([key, newestFirst]) => {
    const [first] = newestFirst;
    if (first === undefined) return [];
    const { conversation } = first;
    const around = byPlace.get(conversation) ?? [];
    const turn = turnOf(first, turns.get(conversation) ?? []);
    if (turn === undefined && first.call === undefined) {
      return newestFirst.map(row => rowLine(row, 1, axisOf([row], [])));
    }
    const ordered = newestFirst.toReversed();
    return turn === undefined
      ? callLines(key, 1, ordered, around.filter(isOf(first.call, ordered)), undefined, options)
      : turnLines(
          key,
          turn,
          ordered,
          around.filter(span => isWithin(span.at, turn)),
          options,
        );
  });
}

function groupKey(row: LogRow, turn: LogSpan | undefined): string {
  if (turn !== undefined) return `turn ${row.conversation} ${turn.at}`;
  return row.call === undefined ? row.key : `call ${row.conversation} ${row.call}`;
}

/** Tools of a call whose turn is not known, or not over. */
function isOf(call: string | undefined, ordered: readonly LogRow[]): (span: LogSpan) => boolean {
  const from = ordered[0]?.at ?? 0;
  return span => span.kind === 'tool' && span.call === call && span.at >= from;
}

function turnOf({ at }: LogRow, turns: readonly LogSpan[]): LogSpan | undefined {
  const last = turns.findLast(turn => turn.at <= at);
  return last !== undefined && isWithin(at, last) ? last : undefined;
}

/** Beginnings are whole ms, so that the last one may seem to be after the end. */
function isWithin(at: number, turn: LogSpan): boolean {
  return at >= turn.at && at <= Math.ceil(turn.at + turn.ms);
}

function turnLines(
  key: string,
  turn: LogSpan,
  rows: readonly LogRow[],
  around: readonly LogSpan[],
  options: LineOptions,
): readonly ListLine[] {
  const spans = around.filter(({ kind }) => kind !== 'turn').sort((a, b) => a.at - b.at);
  const axis = axisOf(rows, [turn]);
  const calls = groupBy(rows, row => row.call ?? '');
  const told = new Set<string>();
  const group: LogGroup = { kind: 'turn', key, rows, spans, axis, decision: decisionIn(rows) };
  return groupLines(group, 1, options, () => {
    const lines: (ListLine | LogRow)[] = [];
    for (const row of rows) {
      const call = row.call ?? '';
      if (call === '') lines.push(row);
      else if (!told.has(call)) {
        told.add(call);
        const own = spans.filter(span => span.kind === 'model' || span.call === call);
        lines.push(...callLines(`${key} ${call}`, 2, calls.get(call) ?? [], own, axis, options));
      }
    }
    return folded(lines, 2, axis, options);
  });
}

function callLines(
  key: string,
  level: number,
  rows: readonly LogRow[],
  spans: readonly LogSpan[],
  given: Axis | undefined,
  options: LineOptions,
): readonly ListLine[] {
  const axis = given ?? axisOf(rows, spans);
  const group: LogGroup = { kind: 'call', key, rows, spans, axis, decision: decisionIn(rows) };
  return groupLines(group, level, options, () => folded(rows, level + 1, axis, options));
}

function groupLines(
  group: LogGroup,
  level: number,
  { toggled, isFiltered }: LineOptions,
  inner: () => readonly ListLine[],
): readonly ListLine[] {
  const isOpen = isFiltered || toggled.has(group.key) === (group.decision === undefined);
  return [{ type: 'group', key: group.key, level, group, isOpen }, ...(isOpen ? inner() : [])];
}

/** Several quiet rows in a row become one line. */
function folded(
  items: readonly (ListLine | LogRow)[],
  level: number,
  axis: Axis,
  { toggled, isFiltered }: LineOptions,
): readonly ListLine[] {
  const lines: ListLine[] = [];
  let quiet: LogRow[] = [];
  const flush = (): void => {
    const [first] = quiet;
    const rows = quiet;
    quiet = [];
    if (first === undefined) return;
    const key = `quiet ${first.key}`;
    const isOpen = rows.length === 1 || isFiltered || toggled.has(key);
    if (rows.length > 1 && !isFiltered) lines.push({ type: 'quiet', key, level, rows, isOpen });
    if (isOpen) lines.push(...rows.map(row => rowLine(row, level, axis)));
  };
  for (const item of items) {
    if (!('type' in item) && isQuiet(item)) quiet.push(item);
    else {
      flush();
      lines.push('type' in item ? item : rowLine(item, level, axis));
    }
  }
  flush();
  return lines;
}

function decisionIn(rows: readonly LogRow[]): LogRow | undefined {
  return rows.findLast(({ outcome }) => outcome === 'blocked') ?? rows.findLast(row => !isQuiet(row));
}

function rowLine(row: LogRow, level: number, axis: Axis): ListLine {
  return { type: 'row', key: row.key, level, row, axis };
}

/** In the order of the first of each key. */
function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}

/** From the first beginning to the last end. */
function axisOf(rows: readonly LogRow[], spans: readonly LogSpan[]): Axis {
  const all: readonly { readonly at: number; readonly ms: number }[] = [...rows, ...spans];
  const from = Math.min(...all.map(({ at }) => at));
  return { from, total: Math.max(...all.map(({ at, ms }) => at + ms)) - from };
}

/** The bars of a row: what its handler worked itself, and between that the questions to the user. */
export function barsOfRow(row: LogRow, { from }: Axis): readonly TimeBar[] {
  const kind = row.changed ? 'decided' : hookBar(row.outcome);
  const end = row.at + row.ms;
  const bars: TimeBar[] = [];
  let worksFrom = row.at;
  for (const wait of row.waits) {
    if (wait.at > worksFrom) bars.push({ kind, from: worksFrom - from, ms: wait.at - worksFrom });
    bars.push({ kind: 'asked', from: wait.at - from, ms: wait.ms });
    worksFrom = wait.at + wait.ms;
  }
  if (end > worksFrom) bars.push({ kind, from: worksFrom - from, ms: end - worksFrom });
  return bars;
}

/** The bars of a group: model, tools, and hooks over them. */
export function barsOfGroup({ rows, spans, axis }: LogGroup): readonly TimeBar[] {
  return [
    ...spans.flatMap(({ kind, at, ms }): TimeBar[] => (kind === 'turn' ? [] : [{ kind, from: at - axis.from, ms }])),
    ...rows.flatMap(row => barsOfRow(row, axis)),
  ];
}
