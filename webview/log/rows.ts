import type { LogFilter, LogRow } from '../../src/protocol/log';
import type { Choice } from '../editor-page/filter-bar';

/** Rows kept in the page; the host keeps as many. */
const MOST_ROWS = 4_000;

export const NO_FILTER: LogFilter = { hookPath: '', registeredAs: '', tool: '', outcome: '', text: '' };

/** What the page knows: rows newest first, what is let through, and what a text search found. */
export interface LogState {
  readonly rows: readonly LogRow[];
  readonly filter: LogFilter;
  /** Answer to the search for `text`; until it is here, only the rows' own texts are searched. */
  readonly found: { readonly text: string; readonly keys: ReadonlySet<string> } | undefined;
}

/** Takes in rows as the host sends them, newest last. */
export function withRows(state: LogState, rows: readonly LogRow[], replace: boolean): LogState {
  const fresh = [...rows].reverse();
  return { ...state, rows: (replace ? fresh : [...fresh, ...state.rows]).slice(0, MOST_ROWS) };
}

/** The rows that the filter lets through. */
export function shownRows({ rows, filter, found }: LogState): readonly LogRow[] {
  const text = filter.text.trim().toLowerCase();
  const answered = found !== undefined && found.text === filter.text ? found.keys : undefined;
  return rows.filter(row => {
    if (filter.hookPath !== '' && row.hookPath !== filter.hookPath) return false;
    if (filter.registeredAs !== '' && row.registeredAs !== filter.registeredAs) return false;
    if (filter.tool !== '' && row.tool !== filter.tool) return false;
    if (filter.outcome !== '' && row.outcome !== filter.outcome) return false;
    if (text === '' || answered?.has(row.key) === true) return true;
    return [row.hook, row.event, row.registeredAs, row.tool, row.text].some(part => part.toLowerCase().includes(text));
  });
}

/** The values a column has, sorted; for its filter. */
export function valuesOf(rows: readonly LogRow[], column: 'registeredAs' | 'tool' | 'outcome'): readonly string[] {
  return [...new Set(rows.map(row => row[column]))].filter(value => value !== '').sort();
}

/** Hooks that appear, by name. */
export function hooksOf(rows: readonly LogRow[]): readonly Choice<string>[] {
  const names = new Map(rows.map(row => [row.hookPath, row.hook]));
  return [...names].map(([value, name]) => ({ value, name })).sort((a, b) => a.name.localeCompare(b.name));
}
