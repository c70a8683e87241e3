import { readToml, withoutTables } from '../formats/toml-text';
import type { OwnEntry } from '../formats/guard-format';

/**
 * Codex's config.toml without its trust in entries of a `hooks.json` with these absolute paths.
 * @throws Error that says where the text cannot be read
 */
export function withoutTrust(text: string, files: readonly string[], own: readonly OwnEntry[]): string {
  const keys = new Set(files.flatMap(file => own.map(entry => trustKey(file, entry))));
  const tables = readToml(text);
  const states = tables.filter(({ path }) => path.length === 3 && path[0] === 'hooks' && path[1] === 'state');
  const ours = states.filter(({ path }) => keys.has(path[2] ?? ''));
  if (ours.length === 0) return text;
  const parent = tables.filter(({ path, values }) => path.join('.') === 'hooks.state' && values.length === 0);
  const gone = ours.length === states.length ? [...parent, ...ours] : ours;
  return withoutTables(
    text,
    [...gone].sort((one, other) => one.start - other.start),
  );
}

function trustKey(file: string, { event, group, handler }: OwnEntry): string {
  return `${file}:${event.replace(/(?<=[a-z])[A-Z]/g, letter => `_${letter}`).toLowerCase()}:${group}:${handler}`;
}
