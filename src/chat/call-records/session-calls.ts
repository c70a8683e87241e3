import type { AssistantBlock, ToolItem } from '../../protocol/items/chat-item';
import type { Lineage } from './lineage';
import type { SessionState } from '../../session/state/session-state';
import { recordOf, type CallRecord } from './call-record';
import type { CallRecords, SessionRecord } from './call-records';
import { thoughtsOf, type ThoughtRecord } from './thought-record';

export interface SessionCallsParts {
  readonly records: CallRecords;
  readonly state: SessionState;
  /** Sessions that the one in use was forked from: it shares their calls until then. */
  readonly lineage: Lineage;
}

interface Known {
  readonly session: string;
  /** By tool call id, oldest first. */
  readonly byCall: Map<string, CallRecord[]>;
  /** By the time of the answer. */
  readonly byAnswer: Map<number, ThoughtRecord>;
}

/** What is known of the tool calls and answers of the session that a conversation shows. */
export class SessionCalls {
  private known: Known = nothingOf('');

  constructor(private readonly parts: SessionCallsParts) {}

  /** Reads what earlier windows and conversations left of the session; to be called when it becomes another. */
  async load(): Promise<void> {
    const { records, lineage } = this.parts;
    const { store } = this.parts.state;
    const id = store.getSessionId();
    this.known = nothingOf(id);
    const { known } = this;
    if (!store.getNodes().some(({ type }) => type === 'message')) return;
    const found: SessionRecord[] = [];
    for (const [ancestor, until] of lineage.of(store)) {
      const theirs = await records.read(ancestor);
      found.push(...theirs.filter(({ at }) => at <= until));
    }
    found.push(...(await records.read(id)));
    for (const record of found.toSorted((a, b) => a.at - b.at)) put(known, record);
  }

  /** What is known of a call whose result was written at `writtenAt`, ms: the latest that ended before. */
  of(toolCallId: string, writtenAt: number): CallRecord | undefined {
    if (this.known.session !== this.parts.state.store.getSessionId()) return undefined;
    return this.known.byCall.get(toolCallId)?.findLast(({ at }) => at <= writtenAt);
  }

  /** Keeps what the card of a call tells that is over now. */
  keep(item: ToolItem, at = Date.now()): void {
    const record = recordOf(item, at);
    if (record !== undefined) this.add(record);
  }

  /** How long the thoughts of an answer took that was written at `timestamp`. */
  thoughts(timestamp: number): ThoughtRecord | undefined {
    return this.known.session === this.parts.state.store.getSessionId()
      ? this.known.byAnswer.get(timestamp)
      : undefined;
  }

  /** Keeps how long the thoughts of an answer took that is over now; `timestamp`: that of its message. */
  keepThoughts(blocks: readonly AssistantBlock[], timestamp: number, at = Date.now()): void {
    const record = thoughtsOf(blocks, timestamp, at);
    if (record !== undefined) this.add(record);
  }

  private add(record: SessionRecord): void {
    const { store } = this.parts.state;
    const id = store.getSessionId();
    if (this.known.session !== id) this.known = nothingOf(id);
    put(this.known, record);
    if (store.getSessionFile() !== undefined) this.parts.records.add(id, record);
  }
}

function nothingOf(session: string): Known {
  return { session, byCall: new Map(), byAnswer: new Map() };
}

function put({ byCall, byAnswer }: Known, record: SessionRecord): void {
  if (!('call' in record)) {
    byAnswer.set(record.answer, record);
    return;
  }
  const others = byCall.get(record.call);
  if (others === undefined) byCall.set(record.call, [record]);
  else others.push(record);
}
