import { UsageError } from './usage-error';

/** The value, if it is one of those allowed. @throws UsageError otherwise */
export function allowedValue<T extends string>(allowed: readonly T[], value: string, flag: string): T {
  const found = allowed.find(candidate => candidate === value);
  if (found === undefined) throw new UsageError(`${flag} must be one of ${allowed.join(', ')}, not "${value}".`);
  return found;
}

/** The names in a list with commas. */
export function namesIn(value: string): string[] {
  return value
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '');
}

/** The tools that `--tools` names, or how it changes the default ones. @throws UsageError when it does both */
export function toolNamesIn(value: string, flag: string): string[] {
  const names = namesIn(value);
  const changes = names.filter(name => /^[+-]/.test(name));
  if (changes.length === 0) return names;
  if (changes.length < names.length) throw new UsageError(`${flag}: names cannot be mixed with +name and -name.`);
  const pattern = changes.find(name => name.includes('*'));
  if (pattern !== undefined) throw new UsageError(`${flag}: ${pattern} must be a whole name, not a pattern.`);
  return names;
}
