import type { HostToReplay, ReplayRow, ReplayRowStatus, ReplayView } from '../../src/protocol/replay';

/** What the page knows. */
export interface ReplayState {
  readonly report: ReplayView | undefined;
  readonly progress: { readonly done: number; readonly all: number } | undefined;
  /** Kinds of rows that are listed. */
  readonly shown: ReadonlySet<ReplayRowStatus>;
  /** Rows drawn at most; more on demand. */
  readonly most: number;
}

const PAGE_SIZE = 200;

export const START: ReplayState = {
  report: undefined,
  progress: undefined,
  shown: new Set(['changed', 'unsure']),
  most: PAGE_SIZE,
};

/** In order of importance. */
export const STATUSES: readonly ReplayRowStatus[] = ['changed', 'unsure', 'same', 'skipped'];

/** Takes in a message of the host. */
export function received(state: ReplayState, message: HostToReplay): ReplayState {
  switch (message.type) {
    case 'progress':
      return { ...state, progress: { done: message.done, all: message.all } };
    case 'report':
      return { ...state, report: message.report, progress: undefined, most: PAGE_SIZE };
  }
}

/** Lists rows of one kind, or no longer. */
export function toggled(state: ReplayState, status: ReplayRowStatus): ReplayState {
  const shown = new Set(state.shown);
  if (!shown.delete(status)) shown.add(status);
  return { ...state, shown, most: PAGE_SIZE };
}

/** Draws one more page of rows. */
export function withMore(state: ReplayState): ReplayState {
  return { ...state, most: state.most + PAGE_SIZE };
}

/** Rows that are listed, in the order of the recording. */
export function listed({ report, shown }: ReplayState): readonly ReplayRow[] {
  return report?.rows.filter(row => shown.has(row.status)) ?? [];
}

/** How many events there are of a kind. */
export function countOf({ report }: ReplayState, status: ReplayRowStatus): number {
  return report?.rows.filter(row => row.status === status).length ?? 0;
}
