import { Type, type Static } from '@sinclair/typebox';

const State = Type.Union([
  Type.Object({ kind: Type.Literal('absent') }),
  Type.Object({
    kind: Type.Literal('file'),
    blob: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    size: Type.Number(),
    mode: Type.Number(),
  }),
  Type.Object({ kind: Type.Literal('link'), blob: Type.String({ pattern: '^[0-9a-f]{64}$' }) }),
  Type.Object({
    kind: Type.Literal('lost'),
    why: Type.Union([
      Type.Literal('tooLarge'),
      Type.Literal('unreadable'),
      Type.Literal('folder'),
      Type.Literal('special'),
    ]),
  }),
]);

/** One line of a journal: one file that one tool call, or one revert, changed. */
export const StoredChangeSchema = Type.Object({
  /** ms since the epoch */
  at: Type.Number(),
  session: Type.String(),
  /** Id of the tool call; for a revert, an id that all its files share. */
  call: Type.String(),
  tool: Type.String(),
  kind: Type.Union([Type.Literal('tool'), Type.Literal('revert')]),
  /** Calls that ran at the same time, any of which may have made the change instead. */
  or: Type.Optional(Type.Array(Type.String())),
  /** Absolute. */
  path: Type.String(),
  before: State,
  after: State,
});

export type StoredChange = Static<typeof StoredChangeSchema>;

/** Another line of a journal: the user has seen one change, with all earlier changes of its file, and keeps it. */
export const StoredKeepSchema = Type.Object({
  /** ms since the epoch */
  at: Type.Number(),
  kind: Type.Literal('keep'),
  /** The change, by what no other change shares. */
  kept: Type.Object({ at: Type.Number(), session: Type.String(), call: Type.String(), path: Type.String() }),
});

export type StoredKeep = Static<typeof StoredKeepSchema>;

/** A change in the order of all changes of the folder. */
export interface ChangeRecord extends StoredChange {
  /** Counts up; a later change has a higher number. */
  readonly seq: number;
}

/** Ids of the tool calls that made a change, or may have; none of a revert. */
export function callsOf({ kind, call, or = [] }: StoredChange): readonly string[] {
  return kind === 'tool' ? [call, ...or] : [];
}

/** Whether a tool call is one of {@link callsOf}. */
export function mayBeOf({ kind, call, or }: StoredChange, toolCallId: string): boolean {
  return kind === 'tool' && (call === toolCallId || or?.includes(toolCallId) === true);
}
