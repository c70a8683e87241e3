import type { DialectId } from '../../src/hooks/dialects/dialect-id';
import { exampleHooks } from './example-hooks';

/** A hook of an older dialect that the tests of conversion work with. */
export interface OldHook {
  readonly name: string;
  readonly text: string;
  readonly dialect: DialectId;
}

const OLD: readonly DialectId[] = ['v1', 'v2', 'tree', 'omp'];

/** Hooks that have no honest counterpart, with what says so. */
export const UNCONVERTIBLE: Readonly<Record<string, RegExp>> = {
  'v2/bookmarks.ts': /Custom entry types have no counterpart/,
  'v2/forget.ts': /The context event has no entries and no indexes/,
  'v2/fold.ts': /The context event has no entries and no indexes/,
};

/** The examples of all older dialects, and the further hooks that only tests have. */
export function oldExamples(): readonly OldHook[] {
  return OLD.flatMap(dialect =>
    exampleHooks(dialect).map(({ name, text }) => ({ name: `${dialect}/${name}`, text, dialect })),
  );
}
