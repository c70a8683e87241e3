import type { AgentMessage, SystemMessage } from '../../agent/messages';
import type { ViewEntry } from '../../hook-typings/entries';
import type { BranchTarget } from '../../hook-typings/event-parts';
import { indexInView, v1View } from '../api/session-view';
import type { HookConversation } from '../conversation-port';
import { copyMessage, copyMessages } from '../dispatch/copy';
import type { LoadedHook } from '../loaded-hook';

/** What the declarations for hook authors know; files of `pi` get the system prompt, too (docs/dialects.md, C40). */
type Visible<M extends AgentMessage> = Exclude<M, SystemMessage>;

export function isVisibleMessage<M extends AgentMessage>(hook: LoadedHook, message: M): message is Visible<M> {
  return hook.dialect.tellsPromptEntries || message.role !== 'system';
}

/**
 * Copies for one hook of the messages it knows, with custom messages under the role of its dialect (docs/dialects.md,
 * C20).
 */
export function messagesFor<M extends AgentMessage>(hook: LoadedHook, messages: readonly M[]): Visible<M>[] {
  const copies = copyMessages(messages.filter((message): message is Visible<M> => isVisibleMessage(hook, message)));
  for (const copy of copies) adapt(copy, hook);
  return copies;
}

/** See {@link messagesFor}; of events that do not reach hooks with other messages. */
export function messageFor<M extends AgentMessage>(hook: LoadedHook, message: M): Visible<M> {
  const copy = copyMessage(message as Visible<M>);
  adapt(copy, hook);
  return copy;
}

/**
 * A copy of an event about a call; files of dialects that know nested calls also get the id of the call whose tool made it
 * (docs/dialects.md, C42).
 */
export function visibleCall<E extends { readonly parentToolCallId?: string }>(event: E, { dialect }: LoadedHook): E {
  const copy = { ...event };
  if (!dialect.tellsNestedCalls) Reflect.deleteProperty(copy, 'parentToolCallId');
  return copy;
}

function adapt(copy: AgentMessage, { dialect }: LoadedHook): void {
  if (copy.role === 'custom') Reflect.set(copy, 'role', dialect.customRole);
  if (copy.role === 'toolResult' && !dialect.tellsNestedCalls) Reflect.deleteProperty(copy, 'nestedCalls');
}

/** The v1 view of a session as a fresh array: hooks may change theirs. */
export function entriesOf(conversation: HookConversation | undefined): ViewEntry[] {
  return conversation === undefined ? [] : ([...v1View(conversation)] as unknown as ViewEntry[]);
}

interface Target {
  readonly entryId: string;
  readonly index: number;
}
const targets = new WeakMap<HookConversation, Target>();

/** The three ways to name the entry, for every event about branching (docs/dialects.md, C5). */
export function branchTarget(conversation: HookConversation | undefined, entryId: string): BranchTarget {
  const index = targetTurnIndex(conversation, entryId);
  return { targetTurnIndex: index, entryIndex: index - 1, entryId };
}

/**
 * Index of the entry that a branch starts from, header counted. After the branch the entry is no longer on the path: the
 * index found before it is remembered, else it is where the new path ends.
 */
function targetTurnIndex(conversation: HookConversation | undefined, entryId: string): number {
  if (conversation === undefined) return -1;
  const view = v1View(conversation);
  const index = indexInView(view, entryId);
  if (index >= 0) {
    targets.set(conversation, { entryId, index });
    return index;
  }
  const known = targets.get(conversation);
  return known?.entryId === entryId ? known.index : view.length;
}

/** What functions that work out members give, by name. */
type WorkedOutBy<Members> = { [K in keyof Members]: Members[K] extends () => infer Value ? Value : never };

/**
 * Adds members that are computed on first reading, enumerable and assignable like any other, so that hooks may spread,
 * log, clone and overwrite what they got.
 */
export function lazy<T extends object, Members extends Readonly<Record<string, () => unknown>>>(
  target: T,
  members: Members,
): T & WorkedOutBy<Members> {
  for (const name of Object.keys(members)) {
    const compute = members[name] as () => unknown;
    Object.defineProperty(target, name, {
      enumerable: true,
      configurable: true,
      get(this: object): unknown {
        const value = compute();
        settle(this, name, value);
        return value;
      },
      set(this: object, value: unknown) {
        settle(this, name, value);
      },
    });
  }
  return target as T & WorkedOutBy<Members>;
}

function settle(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
