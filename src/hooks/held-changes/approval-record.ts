import { Type, type Static } from '@sinclair/typebox';
import type { HookFile } from '../host/discover';
import type { HookModule } from '../load/hook-module';

const Text = Type.String();
const oneOf = <T extends string>(...words: readonly T[]) => Type.Union(words.map(word => Type.Literal(word)));

/** A hook as it was approved: its entry first, then what it imports from beside it. */
const ApprovedSchema = Type.Object({
  path: Text,
  entry: Text,
  origin: oneOf('global', 'workspace', 'settings', 'package', 'explicit', 'built-in'),
  group: oneOf('hooks', 'extensions'),
  /** What names it, where no folder that is always searched does; as in {@link HookFile.from}. */
  from: Type.Optional(Text),
  sources: Type.Array(Type.Object({ path: Text, hash: Text })),
  imports: Type.Array(Type.Object({ from: Text, specifier: Text, to: Type.Optional(Text) })),
});

const HeldSchema = Type.Object({
  path: Text,
  change: oneOf('changed', 'appeared', 'vanished', 'unknown'),
  stillRunning: Type.Optional(Text),
  notSaved: Type.Optional(Type.Literal(true)),
});

const ListSchema = Type.Object({ file: Text, key: Text, entries: Type.Array(Text) });

const RunSchema = Type.Object({
  id: Text,
  host: Text,
  pid: Type.Number(),
  bootedAt: Type.Number(),
  startedAt: Type.Optional(Text),
  marker: Text,
});

/** What is on disk about the hooks of one place: a folder, or an agent folder. */
export const RecordSchema = Type.Object({
  version: Type.Literal(1),
  /** Absolute path of the place, for people who look. */
  about: Text,
  /** See `HookRuntimeSettings.approveChanges`: what the last window said. */
  approveChanges: Type.Optional(oneOf('agent', 'all')),
  approved: Type.Array(ApprovedSchema),
  held: Type.Array(HeldSchema),
  lists: Type.Array(ListSchema),
  runs: Type.Array(RunSchema),
});

export type ApprovalRecord = Readonly<Static<typeof RecordSchema>>;
export type ApprovedHook = ApprovalRecord['approved'][number];
export type HeldHook = ApprovalRecord['held'][number];

/** A list in a settings file that says which hooks there are. */
export type HookList = Readonly<Static<typeof ListSchema>>;

/**
 * A process in which tool calls have run. It is here from its first call to its orderly end; while it is not at a call,
 * its idle file says so.
 */
export type CallingRun = Readonly<Static<typeof RunSchema>>;

export function emptyRecord(about: string): ApprovalRecord {
  return { version: 1, about, approved: [], held: [], lists: [], runs: [] };
}

/** What is remembered of a hook that runs as these sources. */
export function approvedAs(
  file: HookFile,
  { sources, imports }: Pick<HookModule, 'sources' | 'imports'>,
): ApprovedHook {
  const { path, entry, origin, group, from } = file;
  return {
    ...{ path, entry, origin, group },
    ...(from === undefined ? {} : { from }),
    sources: sources.map(source => ({ path: source.path, hash: source.hash })),
    imports: imports.map(({ from: importer, specifier, to }) => ({
      ...{ from: importer, specifier },
      ...(to === undefined ? {} : { to }),
    })),
  };
}

/** The file that an approved hook was found as. */
export function fileOf({ path, entry, origin, group, from }: ApprovedHook): HookFile {
  return { path, entry, origin, group, ...(from === undefined ? {} : { from }) };
}
