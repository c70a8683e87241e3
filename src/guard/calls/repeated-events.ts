import { isDeepStrictEqual } from 'node:util';
import { sessionKey, type GuardedEvent } from '../agents/agent';
import type { AgentCall, AgentReply } from '../protocol/agent-call';

/** Most answers that a session remembers; the oldest are forgotten first. */
const MOST_ANSWERS = 100;

interface AnsweredEvent {
  readonly asked: unknown;
  readonly reply: Promise<AgentReply>;
  /** The entries of the agent's configuration that got the answer. */
  readonly entries: Set<string>;
}

/**
 * The answers of a session, or those to the ends of all sessions. The agent may call hooks twice for one event, from two entries
 * of its configuration: both get the same answer, and the second one adds nothing to the log.
 */
export class RepeatedEvents {
  private readonly answered = new Map<string, AnsweredEvent>();

  /** The answer that is known, or else what `decide` resolves with. Rejects as that does. */
  async once(event: GuardedEvent, call: AgentCall, decide: () => Promise<AgentReply>): Promise<AgentReply> {
    const question = questionIn(event);
    if (question === undefined) return decide();
    const { key, asked, isOwnId, opposite } = question;
    const entry = `${call.agent} ${call.event}`;
    const known = this.answered.get(key);
    // Without an id of the agent, the same entry asks about another event that is equal.
    const isRepeated = isOwnId || known?.entries.has(entry) === false;
    if (known !== undefined && isRepeated && isDeepStrictEqual(known.asked, asked)) {
      known.entries.add(entry);
      return { ...(await known.reply), records: [] };
    }
    const reply = decide();
    this.remember(key, { asked, reply, entries: new Set([entry]) });
    // An id may come again for another call, once the result is there.
    if (opposite !== undefined) this.answered.delete(opposite);
    return reply;
  }

  private remember(key: string, event: AnsweredEvent): void {
    this.answered.delete(key);
    this.answered.set(key, event);
    const [oldest] = this.answered.size > MOST_ANSWERS ? this.answered.keys() : [];
    if (oldest !== undefined) this.answered.delete(oldest);
  }
}

/** What an event asks about, if two entries of a configuration may ask it. */
interface RepeatedQuestion {
  readonly key: string;
  readonly asked: unknown;
  /** The agent gave an id that no other event of this type has. */
  readonly isOwnId: boolean;
  /** The key of the call of a result, or of the result of a call. */
  readonly opposite?: string;
}

function questionIn(event: GuardedEvent): RepeatedQuestion | undefined {
  const { type, turnId } = event;
  if (type === 'tool_call' || type === 'tool_result') {
    const { toolCallId, original, isMadeId } = event;
    const asked = [original, type === 'tool_result' ? event.text : ''];
    const opposite = `${type === 'tool_call' ? 'tool_result' : 'tool_call'} ${toolCallId}`;
    return { key: `${type} ${toolCallId}`, asked, isOwnId: isMadeId !== true, opposite };
  }
  if (type === 'session_end') return { key: `${type} ${sessionKey(event)}`, asked: event.reason, isOwnId: false };
  const asked = askedInTurn(event);
  if (turnId === undefined || asked === undefined) return undefined;
  return { key: `${type} ${turnId}`, asked, isOwnId: false };
}

/** What an event asks about that may come twice in a turn; undefined for others. */
function askedInTurn(event: GuardedEvent): unknown {
  if (event.type === 'prompt') return event.text;
  if (event.type === 'stop') return event.isContinued;
  return event.type === 'before_compact' ? [event.trigger, event.instructions] : undefined;
}
