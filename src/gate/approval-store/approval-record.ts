import { Type, type Static } from '@sinclair/typebox';
import type { HookFile } from '../../hook-load/files/discover';
import type { ApprovedContent } from '../../hook-load/graph/module-imports';
import type { FileOfPackage } from '../../agent/resources/package-origin';
import { defined } from '../../base/defined';
import { KnownProcessSchema } from '../../base/ending/known-process';
import { literalUnion } from '../../base/json/schema';

const Text = Type.String();

/** See {@link FileOfPackage}. */
const PackagedSchema = Type.Object({
  identity: Text,
  entries: Type.Object({ user: Text, project: Text }),
  content: Type.Optional(Text),
  off: Type.Optional(Type.Literal(true)),
  part: Text,
  folder: Text,
  isUsers: Type.Boolean(),
});

/** A hook as it was approved. `sources` has the entry first, then all other files that its load read. */
const ApprovedSchema = Type.Object({
  path: Text,
  entry: Text,
  origin: literalUnion('global', 'workspace', 'settings', 'package', 'explicit', 'built-in'),
  group: literalUnion('hooks', 'extensions'),
  /** What names the hook, if it is not in a folder that is always searched; as in {@link HookFile.from}. */
  from: Type.Optional(Text),
  packaged: Type.Optional(PackagedSchema),
  sources: Type.Array(Type.Object({ path: Text, hash: Text })),
  imports: Type.Array(
    Type.Object({
      from: Text,
      specifier: Text,
      to: Type.Optional(Text),
      required: Type.Optional(Type.Literal(true)),
      late: Type.Optional(Type.Literal(true)),
    }),
  ),
});

const HeldSchema = Type.Object({
  path: Text,
  change: literalUnion('changed', 'appeared', 'vanished', 'unknown'),
  stillRunning: Type.Optional(Text),
  notSaved: Type.Optional(Type.Literal(true)),
});

const ListSchema = Type.Object({ file: Text, key: Text, entries: Type.Array(Text) });

/**
 * A watched file as it was accepted; without a hash, there was none. `held`: a change of it waits. `isUnknown`: what was
 * accepted is not recorded any more. `isUnreadable`: when it was looked at last, nobody could tell what it says. `base`: hash of
 * the whole text when only a part of it is compared.
 */
const FileSchema = Type.Object({
  path: Text,
  hash: Type.Optional(Text),
  base: Type.Optional(Text),
  held: Type.Optional(Type.Literal(true)),
  isUnknown: Type.Optional(Type.Literal(true)),
  isUnreadable: Type.Optional(Type.Literal(true)),
});

const RunSchema = Type.Object({
  id: Text,
  ...KnownProcessSchema.properties,
  marker: Text,
});

/** The record on disk about the hooks of one place: a folder, or the agent folder. */
export const RecordSchema = Type.Object({
  version: Type.Literal(1),
  /** Absolute path of the place, for people who read the file. */
  about: Text,
  /** `HookRuntimeSettings.approveChanges` of the last window. */
  approveChanges: Type.Optional(literalUnion('agent', 'all')),
  approved: Type.Array(ApprovedSchema),
  held: Type.Array(HeldSchema),
  lists: Type.Array(ListSchema),
  /** Files of settings, rules, trust, servers and models; none in records of older versions. */
  files: Type.Optional(Type.Array(FileSchema)),
  runs: Type.Array(RunSchema),
});

export type ApprovalRecord = Readonly<Static<typeof RecordSchema>>;
export type ApprovedHook = ApprovalRecord['approved'][number];
export type ApprovedFile = Readonly<Static<typeof FileSchema>>;
export type HeldHook = ApprovalRecord['held'][number];

/** A list in a settings file that says which hooks there are. */
export type HookList = Readonly<Static<typeof ListSchema>>;

/**
 * A process in which tool calls have run. It is in the record from its first call until it ends normally. While no call
 * is open in it, its idle file exists.
 */
export type CallingRun = Readonly<Static<typeof RunSchema>>;

export function emptyRecord(about: string): ApprovalRecord {
  return { version: 1, about, approved: [], held: [], lists: [], runs: [] };
}

/** The record of a hook that runs with this content. */
export function approvedAs(file: HookFile, { sources, imports }: ApprovedContent): ApprovedHook {
  const { path, entry, origin, group, from, packaged } = file;
  return {
    ...{ path, entry, origin, group },
    ...defined({ from, packaged }),
    sources: sources.map(source => ({ path: source.path, hash: source.hash })),
    imports: imports.map(({ from: importer, specifier, to, required, late }) => ({
      ...{ from: importer, specifier },
      ...defined({ to, required, late }),
    })),
  };
}

/** The hook file for which the record was made. */
export function fileOf({ path, entry, origin, group, from, packaged }: ApprovedHook): HookFile {
  return { path, entry, origin, group, ...defined({ from }), ...(packaged && { packaged: stateIn(packaged) }) };
}

function stateIn({ content, off, ...state }: NonNullable<ApprovedHook['packaged']>): FileOfPackage {
  return { ...state, ...defined({ content, off }) };
}
