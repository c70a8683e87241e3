import type { Usage } from '@mariozechner/pi-ai';
import type { AgentMessage, ContentPart } from './messages';

/** First line of a session file. **v1** and **v2** count it as index 0 of `entries`. */
export interface SessionHeader {
  type: 'session';
  id: string;
  version?: number;
  /** ISO 8601 */
  timestamp: string;
  /** Workspace folder the session belongs to. */
  cwd: string;
  /** File this session was forked from. */
  parentSession?: string;
  /** The same under the name that **v1** and **tree** gave it. */
  branchedFrom?: string;
}

/** Members of every entry. */
export interface SessionEntryBase {
  type: string;
  id: string;
  /** `null` for the first entry. */
  parentId: string | null;
  /** ISO 8601 */
  timestamp: string;
}

export interface SessionMessageEntry extends SessionEntryBase {
  type: 'message';
  message: AgentMessage;
}

export interface ThinkingLevelChangeEntry extends SessionEntryBase {
  type: 'thinking_level_change';
  thinkingLevel: string;
}

export interface ModelChangeEntry extends SessionEntryBase {
  type: 'model_change';
  provider: string;
  modelId: string;
}

/** What a model used, as a session stores it: other programs may leave members out. */
export type StoredUsage = Partial<Omit<Usage, 'cost'>> & { cost?: Partial<Usage['cost']> };

/** A compaction as the session stores it. */
export interface StoredCompactionEntry<T = unknown> extends SessionEntryBase {
  type: 'compaction';
  summary: string;
  /** First entry that stayed in the context; the entry's own id when nothing did. */
  firstKeptEntryId: string;
  /** The same as an index into `entries`, header counted. Only in payloads of events and in `entries`. */
  firstKeptEntryIndex?: number;
  tokensBefore: number;
  /** What the model used for the summary. Only told to files of pi. */
  usage?: StoredUsage;
  details?: T;
  fromHook?: boolean;
  fromExtension?: boolean;
}

/** A compaction as **v1** hooks write it: the first kept entry by index, header counted. */
export interface CompactionEntryV1 {
  type: 'compaction';
  timestamp: string;
  summary: string;
  /** `event.entries.length` keeps nothing. */
  firstKeptEntryIndex: number;
  tokensBefore: number;
}

/** What **v1** hooks return as `compactionEntry`, or what the session stores. */
export type CompactionEntry<T = unknown> = StoredCompactionEntry<T> | CompactionEntryV1;

export interface BranchSummaryEntry<T = unknown> extends SessionEntryBase {
  type: 'branch_summary';
  /** End of the branch that was left, or `root`. */
  fromId: string;
  summary: string;
  /** What the model used for the summary. Only told to files of pi. */
  usage?: StoredUsage;
  details?: T;
  fromHook?: boolean;
}

/** State of a hook (`pi.appendEntry`); the model never sees it. */
export interface CustomEntry<T = unknown> extends SessionEntryBase {
  type: 'custom';
  customType: string;
  data?: T;
}

/** A message of a hook (`pi.sendMessage`); the model sees it. */
export interface CustomMessageEntry<T = unknown> extends SessionEntryBase {
  type: 'custom_message';
  customType: string;
  content: string | ContentPart[];
  display: boolean;
  details?: T;
}

export interface LabelEntry extends SessionEntryBase {
  type: 'label';
  targetId: string;
  /** Absent: the label was removed. */
  label?: string;
}

export interface SessionInfoEntry extends SessionEntryBase {
  type: 'session_info';
  name?: string;
}

/** One line of a session. Files may hold further types (see {@link RawEntry}): they are kept and not interpreted. */
export type SessionEntry =
  | SessionMessageEntry
  | ThinkingLevelChangeEntry
  | ModelChangeEntry
  | StoredCompactionEntry
  | BranchSummaryEntry
  | CustomEntry
  | CustomMessageEntry
  | LabelEntry
  | SessionInfoEntry;

/** An entry that a **v2** hook stored with `ctx.saveEntry`. Prefix its type with your hook's name: `myhook_pop`. */
export interface RawEntry {
  type: `${string}_${string}`;
  [member: string]: unknown;
}

/** An element of `entries` as **v1** counts: the header at 0, then the entries of the current path. */
export type ViewEntry = SessionHeader | SessionEntry;

/** A node of `ctx.sessionManager.getTree()`. */
export interface SessionTreeNode {
  entry: SessionEntry;
  children: SessionTreeNode[];
  label?: string;
}
