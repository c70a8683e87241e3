import { Type, type Static, type TSchema } from '@sinclair/typebox';
import type { AgentMessage, AssistantMessage, ContentPart, SystemMessage } from '../messages';

/** The version this code writes; older ones are migrated in memory. */
export const SESSION_VERSION = 3;

declare const entryIdBrand: unique symbol;
/** Names one entry of one session: eight hex digits when we make it, any non-empty text when it comes from a file. */
export type EntryId = string & { readonly [entryIdBrand]: true };

/** Marks a text as an entry id; the entry need not exist. */
export function asEntryId(text: string): EntryId {
  return text as EntryId;
}

const Id = Type.Unsafe<EntryId>(Type.String({ minLength: 1 }));

/** A header needs `id` and `timestamp`. All other members are optional. */
export const HeaderSchema = Type.Object({
  type: Type.Literal('session'),
  version: Type.Optional(Type.Number()),
  id: Type.String({ minLength: 1 }),
  timestamp: Type.Optional(Type.String()),
  cwd: Type.Optional(Type.String()),
  parentSession: Type.Optional(Type.String()),
  branchedFrom: Type.Optional(Type.String()),
});

/** First line of a session file. */
export interface SessionHeader {
  readonly type: 'session';
  readonly version: number;
  readonly id: string;
  /** ISO 8601; empty when the file has none. */
  readonly timestamp: string;
  /** Empty when the file has none (headers of the first versions). */
  readonly cwd: string;
  /** File this session was forked from, absolute. */
  readonly parentSession?: string;
}

const BASE = {
  id: Id,
  parentId: Type.Union([Id, Type.Null()]),
  timestamp: Type.String(),
};

const Text = Type.Object({ type: Type.Literal('text'), text: Type.String() });
const Image = Type.Object({ type: Type.Literal('image'), data: Type.String(), mimeType: Type.String() });
const Thinking = Type.Object({ type: Type.Literal('thinking'), thinking: Type.String() });
const ToolCall = Type.Object({
  type: Type.Literal('toolCall'),
  id: Type.String(),
  name: Type.String(),
  arguments: Type.Record(Type.String(), Type.Unknown()),
});
/** Accepts parts of a newer version, so that one new kind does not hide the message. */
const OtherPart = Type.Object({
  type: Type.Not(Type.Union(['text', 'image', 'thinking', 'toolCall'].map(name => Type.Literal(name)))),
});
const Content = Type.Union([Type.String(), Type.Array(Type.Union([Text, Image, OtherPart]))]);
const ContentList = Type.Array(Type.Union([Text, Image, OtherPart]));
const Timed = { timestamp: Type.Optional(Type.Number()) };

const System = Type.Object({
  content: Type.Union([Type.String(), Type.Array(Type.Union([Text, OtherPart]))]),
  sections: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]))),
  toolsAdded: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
  toolsRemoved: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
  ...Timed,
});

/** By role: the members of a message that readers need. */
const MESSAGE_SCHEMAS: Readonly<Record<AgentMessage['role'], TSchema>> = {
  system: System,
  user: Type.Object({ content: Content, ...Timed }),
  assistant: Type.Object({ content: Type.Array(Type.Union([Text, Thinking, ToolCall, OtherPart])), ...Timed }),
  toolResult: Type.Object({ toolCallId: Type.String(), toolName: Type.String(), content: ContentList, ...Timed }),
  custom: Type.Object({ customType: Type.String(), content: Content, ...Timed }),
  bashExecution: Type.Object({ command: Type.String(), output: Type.String(), ...Timed }),
  branchSummary: Type.Object({ summary: Type.String(), ...Timed }),
  compactionSummary: Type.Object({ summary: Type.String(), ...Timed }),
};

function isKnownRole(role: unknown): role is AgentMessage['role'] {
  return typeof role === 'string' && Object.hasOwn(MESSAGE_SCHEMAS, role);
}

/** The schema for a stored message of this role; roles of the future only need to be objects. */
export function messageSchema(role: unknown): TSchema {
  return isKnownRole(role) ? MESSAGE_SCHEMAS[role] : Type.Object({ role: Type.String() });
}

export type Usage = AssistantMessage['usage'];

/** Other programs leave members out, or write null: values that are not numbers count as 0. */
export type StoredUsage = Partial<Omit<Usage, 'cost'>> & { readonly cost?: Partial<Usage['cost']> };
const UsageSchema = Type.Unsafe<StoredUsage>(Type.Object({}));

/** By type: the members that an entry must have. Other members are kept. */
export const ENTRY_SCHEMAS = {
  message: Type.Object({
    type: Type.Literal('message'),
    ...BASE,
    message: Type.Unsafe<AgentMessage>(Type.Object({ role: Type.String() })),
  }),
  thinking_level_change: Type.Object({
    type: Type.Literal('thinking_level_change'),
    ...BASE,
    thinkingLevel: Type.String(),
  }),
  model_change: Type.Object({
    type: Type.Literal('model_change'),
    ...BASE,
    provider: Type.String(),
    modelId: Type.String(),
  }),
  compaction: Type.Object({
    type: Type.Literal('compaction'),
    ...BASE,
    summary: Type.String(),
    firstKeptEntryId: Id,
    tokensBefore: Type.Number(),
    systemMessage: Type.Optional(Type.Unsafe<SystemMessage>(System)),
    usage: Type.Optional(UsageSchema),
    details: Type.Optional(Type.Unknown()),
    fromHook: Type.Optional(Type.Boolean()),
  }),
  branch_summary: Type.Object({
    type: Type.Literal('branch_summary'),
    ...BASE,
    fromId: Type.String(),
    summary: Type.String(),
    usage: Type.Optional(UsageSchema),
    details: Type.Optional(Type.Unknown()),
    fromHook: Type.Optional(Type.Boolean()),
  }),
  usage: Type.Object({
    type: Type.Literal('usage'),
    ...BASE,
    kind: Type.String(),
    provider: Type.String(),
    model: Type.String(),
    usage: UsageSchema,
  }),
  context_edit: Type.Object({
    type: Type.Literal('context_edit'),
    ...BASE,
    targetId: Id,
    replacement: Type.Union([Type.Null(), Type.Object({ content: Type.Unsafe<string | ContentPart[]>(Content) })]),
  }),
  custom: Type.Object({
    type: Type.Literal('custom'),
    ...BASE,
    customType: Type.String(),
    data: Type.Optional(Type.Unknown()),
  }),
  custom_message: Type.Object({
    type: Type.Literal('custom_message'),
    ...BASE,
    customType: Type.String(),
    content: Type.Unsafe<string | ContentPart[]>(Content),
    display: Type.Boolean(),
    details: Type.Optional(Type.Unknown()),
  }),
  label: Type.Object({
    type: Type.Literal('label'),
    ...BASE,
    targetId: Id,
    label: Type.Optional(Type.String()),
  }),
  session_info: Type.Object({ type: Type.Literal('session_info'), ...BASE, name: Type.Optional(Type.String()) }),
} as const;

export type EntryType = keyof typeof ENTRY_SCHEMAS;
type EntryOf<T extends EntryType> = Readonly<Static<(typeof ENTRY_SCHEMAS)[T]>>;

export type MessageEntry = EntryOf<'message'>;
export type ThinkingLevelChangeEntry = EntryOf<'thinking_level_change'>;
export type ModelChangeEntry = EntryOf<'model_change'>;
/**
 * `firstKeptEntryId` equal to the entry's own id, or to none on the path before it, means: nothing is kept.
 * `systemMessage` is the whole prompt and all tools at that point; the system messages before it no longer count.
 */
export type CompactionEntry = EntryOf<'compaction'>;
/** `fromId` is the end of the abandoned branch, or `root`; older versions name the entry before it. */
export type BranchSummaryEntry = EntryOf<'branch_summary'>;
/** Usage outside of answers, such as for keeping a cache warm; never seen by the model. `kind` can be any word. */
export type UsageEntry = EntryOf<'usage'>;
/** Replaces the content of an earlier entry for the model; `null` removes it. */
export type ContextEditEntry = EntryOf<'context_edit'>;
/** State of a hook; never seen by the model. */
export type CustomEntry = EntryOf<'custom'>;
/** A message of a hook; seen by the model, shown when `display`. */
export type CustomMessageEntry = EntryOf<'custom_message'>;
/** No or an empty `label` removes the target's label. */
export type LabelEntry = EntryOf<'label'>;
export type SessionInfoEntry = EntryOf<'session_info'>;

/** The entries this code understands. */
export type SessionEntry =
  | MessageEntry
  | ThinkingLevelChangeEntry
  | ModelChangeEntry
  | CompactionEntry
  | BranchSummaryEntry
  | UsageEntry
  | ContextEditEntry
  | CustomEntry
  | CustomMessageEntry
  | LabelEntry
  | SessionInfoEntry;

/**
 * An entry of a type that is not ours (raw entries of V2 hooks, other forks of pi, versions to come), or a message of
 * an unknown role: kept unchanged, never interpreted.
 */
export interface UnknownEntry {
  readonly type: string;
  readonly id: EntryId;
  readonly parentId: EntryId | null;
  readonly timestamp: string;
  readonly [member: string]: unknown;
}

/** Any entry of a session; {@link isSessionEntry} distinguishes the two kinds. */
export type StoredEntry = SessionEntry | UnknownEntry;

/** True for the names in {@link ENTRY_SCHEMAS}. */
export function isEntryType(type: string): type is EntryType {
  return Object.hasOwn(ENTRY_SCHEMAS, type);
}

/** Narrows to the types and roles this code understands. */
export function isSessionEntry(entry: StoredEntry): entry is SessionEntry {
  if (entry.type !== 'message') return isEntryType(entry.type);
  const { message } = entry as { readonly message?: { readonly role?: unknown } };
  return isKnownRole(message?.role);
}

/** The entry if it holds data of a hook. */
export function customEntry(entry: StoredEntry | undefined): CustomEntry | undefined {
  return entry !== undefined && isSessionEntry(entry) && entry.type === 'custom' ? entry : undefined;
}

/** The display name of an unknown entry: its type, or the role of its message. */
export function unknownKind(entry: UnknownEntry): string {
  const { message } = entry as { readonly message?: { readonly role?: unknown } };
  return typeof message?.role === 'string' ? message.role : entry.type;
}
