import * as l10n from '@vscode/l10n';
/** A duration, given in ms, as text: `0.4 s`, `12 s`, `3 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1) return '<1 ms';
  if (ms < 100) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : l10n.t('{0} min {1} s', Math.floor(seconds / 60), seconds % 60);
}

/** A count of tokens as text: `950`, `12.3k`, `200k`, `1.2M`. */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 1_000_000) return `${trimmed(count / 1000)}k`;
  return `${trimmed(count / 1_000_000)}M`;
}

function trimmed(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1).replace(/\.0$/, '');
}

/** US dollars as text; small amounts get more digits. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 0.1 ? 4 : 2)}`;
}

/** A place in a file as text: `gate.ts:12:3`. */
export function place(name: string, line?: number, column?: number): string {
  return [name, ...(line === undefined ? [] : [line, ...(column === undefined ? [] : [column])])].join(':');
}

/** The last part of a path with `/` or `\`. */
export function baseName(path: string): string {
  return path.split(/[\\/]/).findLast(part => part !== '') ?? path;
}

/**
 * Fills the placeholders `{0}`, `{1}` … of a translated message with parts that lit can draw, such as links:
 * `fillPlaceholders(l10n.t('Blocked by {0}'), link)`.
 */
export function fillPlaceholders(message: string, ...parts: readonly unknown[]): readonly unknown[] {
  return message.split(/\{(\d)\}/).map((piece, index) => (index % 2 === 0 ? piece : parts[Number(piece)]));
}
