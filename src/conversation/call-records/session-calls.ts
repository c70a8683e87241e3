import type { Ancestors } from '../../agent/changes/net';
import type { ToolItem } from '../../protocol/chat-item';
import { recordOf, type CallRecord } from './call-record';
import type { CallRecords } from './call-records';

export interface SessionCallsParts {
  /** Absent: what is known of a call is forgotten with the conversation. */
  readonly records: CallRecords | undefined;
  /** The session in use, and whether it has a file. Asked for each call, so it must not look through the session. */
  readonly session: () => { readonly id: string; readonly isOnDisk: boolean };
  /** Whether nothing was said in it yet. */
  readonly isNew: () => boolean;
  /** Sessions it was forked from: it shares their calls until then. */
  readonly ancestors: () => Ancestors;
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
    const { records, session, isNew, ancestors } = this.parts;
    const { id } = session();
    const byCall = new Map<string, CallRecord[]>();
    this.known = { session: id, byCall };
    if (isNew()) return;
    const found: CallRecord[] = [];
    for (const [ancestor, until] of ancestors()) {
      const theirs = (await records?.read(ancestor)) ?? [];
      found.push(...theirs.filter(({ at }) => at <= until));
    }
    found.push(...((await records?.read(id)) ?? []));
    for (const record of found.toSorted((a, b) => a.at - b.at)) put(byCall, record);
  }

  /** What is known of a call whose result was written at `writtenAt`, ms: the latest that ended before. */
  of(toolCallId: string, writtenAt: number): CallRecord | undefined {
    if (this.known.session !== this.parts.session().id) return undefined;
    return this.known.byCall.get(toolCallId)?.findLast(({ at }) => at <= writtenAt);
  }

  /** Keeps what the card of a call tells that is over now. */
  keep(item: ToolItem, at = Date.now()): void {
    const record = recordOf(item, at);
    if (record === undefined) return;
    const { id, isOnDisk } = this.parts.session();
    if (this.known.session !== id) this.known = { session: id, byCall: new Map() };
    put(this.known.byCall, record);
    if (isOnDisk) this.parts.records?.add(id, record);
  }
}

function put(byCall: Map<string, CallRecord[]>, record: CallRecord): void {
  const others = byCall.get(record.call);
  if (others === undefined) byCall.set(record.call, [record]);
  else others.push(record);
}
