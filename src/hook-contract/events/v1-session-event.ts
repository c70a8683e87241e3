import type { SessionEvent } from '../../hook-typings/events/session-event';
import type { PayloadSource } from './event-row';
import { entriesOf, lazy } from './payload-parts';

/**
 * Payload of the single event `session` of v1 and tree: a reason, files that may be null, and `more`,
 * the members of the step, whose lazy members stay lazy and whose `type` is left out.
 */
export function sessionPayload(source: PayloadSource, reason: SessionEvent['reason'], more: object = {}): SessionEvent {
  const base = {
    type: 'session',
    reason,
    sessionFile: source.conversation?.sessionFile ?? null,
    previousSessionFile: null,
  };
  // `entries` is defined first, so that `entries` of `more` replaces it.
  const payload = lazy(base, { entries: () => entriesOf(source.conversation) });
  const members: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(more);
  for (const name of ['type', 'reason', 'willRetry']) Reflect.deleteProperty(members, name);
  return Object.defineProperties(payload, members) as SessionEvent;
}

/** The word for a new session that this hook expects: by its text, or else by its dialect (docs/dialects.md, C2). */
export function newSessionWord({ hook }: PayloadSource): 'new' | 'clear' {
  return hook.features.newSessionWord ?? hook.dialect.newSessionWord;
}

/** The previous session file as a member of the event `session`: null for none. */
export function previousFile(file: string | undefined): { readonly previousSessionFile: string | null } {
  return { previousSessionFile: file ?? null };
}
