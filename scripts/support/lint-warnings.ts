import type { ESLint } from 'eslint';
import { relative } from 'node:path';

/** What ESLint says of one place. Its warnings are about size and complexity, and say a value and the allowed maximum. */
const MEASURED = /\b(?<value>\d+)\)?\. Maximum allowed is (?<most>\d+)/;

interface Warning {
  /** Relative to the root, with the line. */
  readonly place: string;
  readonly rule: string;
  /** For example `18 of 12`; empty if the rule does not measure anything. */
  readonly value: string;
  /** The value as a multiple of the allowed maximum. */
  readonly excess: number;
}

/**
 * Sums up the warnings of ESLint: their number, and the worst ones, which exceed what is allowed the most. Empty if there is
 * no warning.
 */
export function warningLines(results: readonly ESLint.LintResult[], root: string, shown = 5): readonly string[] {
  const warnings = results.flatMap(({ filePath, messages }) =>
    messages.filter(({ severity }) => severity === 1).map(message => warningOf(relative(root, filePath), message)),
  );
  if (warnings.length === 0) return [];
  const worst = [...warnings].sort((one, other) => other.excess - one.excess).slice(0, shown);
  const count = `${warnings.length} ${warnings.length === 1 ? 'warning' : 'warnings'}`;
  const heading = worst.length < warnings.length ? `${count}, the worst ${worst.length}:` : `${count}:`;
  return [heading, ...worst.map(({ place, rule, value }) => `  ${place}  ${rule}  ${value}`.trimEnd())];
}

function warningOf(
  file: string,
  { line, ruleId, message }: { readonly line: number; readonly ruleId: string | null; readonly message: string },
): Warning {
  const { value, most } = MEASURED.exec(message)?.groups ?? {};
  const warning = { place: `${file}:${line}`, rule: ruleId ?? message };
  if (value === undefined || most === undefined) return { ...warning, value: '', excess: 0 };
  return { ...warning, value: `${value} of ${most}`, excess: Number(value) / Number(most) };
}
