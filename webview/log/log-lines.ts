import type { LogSpan, LogRow } from '../../src/protocol/pages/log';
import { hookBar, type TimeBar } from '../controls/time-bars';

/** The time axis on which the bars of a line are drawn. */
export interface Axis {
  /** ms since the epoch. */
  readonly from: number;
  /** Length, ms. */
  readonly total: number;
}

/** The log entries of a turn, or of one tool call. */
export interface LogGroup {
  readonly kind: 'turn' | 'call';
  readonly key: string;
  /** Oldest first. A turn includes the rows of its calls. */
  readonly rows: readonly LogRow[];
  /** Times of the model and of tools, in the order of their starts. */
  readonly spans: readonly LogSpan[];
  readonly axis: Axis;
  /** The last row that blocked, else the last row that is not quiet; undefined when there is none. */
  readonly decision: LogRow | undefined;
}

/** One line of the list. */
export type ListLine = { readonly key: string; readonly level: number } & (
  | { readonly type: 'row'; readonly row: LogRow; readonly axis: Axis }
  | { readonly type: 'group'; readonly group: LogGroup; readonly isOpen: boolean }
  /** Handlers in a row that had no effect. */
  | { readonly type: 'quiet'; readonly rows: readonly LogRow[]; readonly isOpen: boolean }
);

export interface LineOptions {
  /** Keys of groups and of quiet lines that the user opened or closed, against their default. */
  readonly toggled: ReadonlySet<string>;
  /** A filter is set, so all groups are open. */
  readonly isFiltered: boolean;
}

/** Whether a handler had no effect: no decision, no change and no question. */
function isQuiet({ outcome, changed, askedMs }: LogRow): boolean {
  return outcome === 'nothing' && !changed && askedMs === 0;
}

/**
 * Groups the rows, which are given newest first, into lines. A turn or a call is at the place of its newest row; inside of
 * it, the oldest row is first. A turn is known only after it has ended; until then its calls are top lines.
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

/** Selects the tool spans of a call whose turn is not known or has not ended. */
function isOf(call: string | undefined, ordered: readonly LogRow[]): (span: LogSpan) => boolean {
  const from = ordered[0]?.at ?? 0;
  return span => span.kind === 'tool' && span.call === call && span.at >= from;
}

function turnOf({ at }: LogRow, turns: readonly LogSpan[]): LogSpan | undefined {
  const last = turns.findLast(turn => turn.at <= at);
  return last !== undefined && isWithin(at, last) ? last : undefined;
}

/** Start times are whole ms, so the last one may seem to be after the end of its turn. */
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
  const listed = new Set<string>();
  const group: LogGroup = { kind: 'turn', key, rows, spans, axis, decision: decisionIn(rows) };
  return groupLines(group, 1, options, () => {
    const lines: (ListLine | LogRow)[] = [];
    for (const row of rows) {
      const call = row.call ?? '';
      if (call === '') lines.push(row);
      else if (!listed.has(call)) {
        listed.add(call);
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

/** Combines several quiet rows in a row into one line. */
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

/** Groups values by key, in the order of each key's first value. */
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

/** The axis from the first start to the last end. */
function axisOf(rows: readonly LogRow[], spans: readonly LogSpan[]): Axis {
  const all: readonly { readonly at: number; readonly ms: number }[] = [...rows, ...spans];
  const from = Math.min(...all.map(({ at }) => at));
  return { from, total: Math.max(...all.map(({ at, ms }) => at + ms)) - from };
}

/** The bars of a row: the work of its handler, interrupted by its questions to the user. */
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

/** The bars of a group: model and tools, with hooks drawn over them. */
export function barsOfGroup({ rows, spans, axis }: LogGroup): readonly TimeBar[] {
  return [
    ...spans.flatMap(({ kind, at, ms }): TimeBar[] => (kind === 'turn' ? [] : [{ kind, from: at - axis.from, ms }])),
    ...rows.flatMap(row => barsOfRow(row, axis)),
  ];
}
