import type { DialectId } from '../../src/hooks/dialects/dialect-id';
import { exampleHooks } from './example-hooks';
import { SEED_INDEX, seedModule } from './seeds';

/** A hook of an older dialect that the tests of conversion work with. */
export interface OldHook {
  readonly name: string;
  readonly text: string;
  /** Absent: to be found out from the text. */
  readonly dialect?: DialectId;
}

const OLD: readonly DialectId[] = ['v1', 'v2', 'tree', 'omp'];

/** Hooks that have no honest counterpart, with what says so. */
export const UNCONVERTIBLE: Readonly<Record<string, RegExp>> = {
  'v2/bookmarks.ts': /Custom entry types have no counterpart/,
  'v2/forget.ts': /The context event has no entries and no indexes/,
  'v2-stacking': /The context event has no entries and no indexes/,
};

/** The examples of all older dialects, and the further hooks that only tests have. */
export function oldExamples(): readonly OldHook[] {
  return OLD.flatMap(dialect =>
    exampleHooks(dialect).map(({ name, text }) => ({ name: `${dialect}/${name}`, text, dialect })),
  );
}

/** Ids of the documents' hooks of older dialects, with what each does. */
export const OLD_SEEDS = SEED_INDEX.filter(({ document }) => document !== 'hook-reference-ext.md');

/** A document's hook as a file. Bits of handlers get a handler, and names that a document leaves open a meaning. */
export function oldSeed(id: string): string {
  const api = ['HookAPI', '@mariozechner/pi-coding-agent/hooks'] as const;
  const within = (event: string, more = ''): string =>
    seedModule(id, { api, inside: `pi.on("${event}", async (event, ctx) => {${more}`, after: '});' });
  if (id.startsWith('v1-compaction')) return within('session', 'if (event.reason !== "before_compact") return;');
  if (id === 'tree-compaction') {
    return within('session', 'if (event.reason !== "before_compact") return; const { preparation } = event;');
  }
  if (id.startsWith('v1-exec')) return within('turn_start');
  if (id === 'tree-custom-component') return within('agent_start');
  if (/^tree-(?:send-message|append-entry|exec)/.test(id)) return within('agent_end');
  if (id !== 'tree-context-pruning') return seedModule(id);
  const rules =
    'type PruneRule = object;\nconst applyPruning = (messages: any[], _rules: PruneRule[]) => messages.slice(1);\n';
  return seedModule(id, { before: rules });
}
