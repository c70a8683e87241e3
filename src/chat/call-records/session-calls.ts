import type { ToolItem } from '../../protocol/chat-item';
import type { Lineage } from './lineage';
import type { SessionState } from '../../session/state/session-state';
import { recordOf, type CallRecord } from './call-record';
import type { CallRecords } from './call-records';

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
}

/** What is known of the tool calls of the session that a conversation shows. */
export class SessionCalls {
  private known: Known = { session: '', byCall: new Map() };

  constructor(private readonly parts: SessionCallsParts) {}

  /** Reads what earlier windows and conversations left of the session; to be called when it becomes another. */
  async load(): Promise<void> {
    const { records, lineage } = this.parts;
    const { store } = this.parts.state;
    const id = store.getSessionId();
    const byCall = new Map<string, CallRecord[]>();
    this.known = { session: id, byCall };
    if (!store.getNodes().some(({ type }) => type === 'message')) return;
    const found: CallRecord[] = [];
    for (const [ancestor, until] of lineage.of(store)) {
      const theirs = await records.read(ancestor);
      found.push(...theirs.filter(({ at }) => at <= until));
    }
    found.push(...(await records.read(id)));
    for (const record of found.toSorted((a, b) => a.at - b.at)) put(byCall, record);
  }

  /** What is known of a call whose result was written at `writtenAt`, ms: the latest that ended before. */
  of(toolCallId: string, writtenAt: number): CallRecord | undefined {
    if (this.known.session !== this.parts.state.store.getSessionId()) return undefined;
    return this.known.byCall.get(toolCallId)?.findLast(({ at }) => at <= writtenAt);
  }

  /** Keeps what the card of a call tells that is over now. */
  keep(item: ToolItem, at = Date.now()): void {
    const record = recordOf(item, at);
    if (record === undefined) return;
    const { store } = this.parts.state;
    const id = store.getSessionId();
    if (this.known.session !== id) this.known = { session: id, byCall: new Map() };
    put(this.known.byCall, record);
    if (store.getSessionFile() !== undefined) this.parts.records.add(id, record);
  }
}

function put(byCall: Map<string, CallRecord[]>, record: CallRecord): void {
  const others = byCall.get(record.call);
  if (others === undefined) byCall.set(record.call, [record]);
  else others.push(record);
}
