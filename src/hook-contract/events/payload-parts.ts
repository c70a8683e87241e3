import type { AgentMessage, SystemMessage } from '../../agent/messages';
import type { ViewEntry } from '../../hook-typings/session/entries';
import type { BranchTarget } from '../../hook-typings/session/event-parts';
import { indexInView, v1View } from '../session/session-view';
import type { HookConversation } from '../conversation-port';
import { copyMessage, copyMessages } from '../copy';
import type { LoadedHook } from '../loaded-hook';

/** The messages in the declarations for hook authors; `pi` files also get the prompt (docs/dialects.md, C40). */
type Visible<M extends AgentMessage> = Exclude<M, SystemMessage>;

export function isVisibleMessage<M extends AgentMessage>(hook: LoadedHook, message: M): message is Visible<M> {
  return hook.dialect.exposesPromptEntries || message.role !== 'system';
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

/** Like {@link messagesFor}, for one message, which must be visible to the hook. */
export function messageFor<M extends AgentMessage>(hook: LoadedHook, message: M): Visible<M> {
  const copy = copyMessage(message as Visible<M>);
  adapt(copy, hook);
  return copy;
}

/**
 * A copy of an event about a tool call. In dialects that have nested calls, it contains the id of the call whose tool
 * made this call (docs/dialects.md, C42).
 */
export function visibleCall<E extends { readonly parentToolCallId?: string }>(event: E, { dialect }: LoadedHook): E {
  const copy = { ...event };
  if (!dialect.exposesNestedCalls) Reflect.deleteProperty(copy, 'parentToolCallId');
  return copy;
}

function adapt(copy: AgentMessage, { dialect }: LoadedHook): void {
  if (copy.role === 'custom') Reflect.set(copy, 'role', dialect.customRole);
  if (copy.role === 'toolResult' && !dialect.exposesNestedCalls) Reflect.deleteProperty(copy, 'nestedCalls');
}

/** The v1 view of a session as a new array, which the hook may change. */
export function entriesOf(conversation: HookConversation | undefined): ViewEntry[] {
  return conversation === undefined ? [] : ([...v1View(conversation)] as unknown as ViewEntry[]);
}

interface Target {
  readonly entryId: string;
  readonly index: number;
}
const targets = new WeakMap<HookConversation, Target>();

/** The three members that name the entry in events about branching (docs/dialects.md, C5). */
export function branchTarget(conversation: HookConversation | undefined, entryId: string): BranchTarget {
  const index = targetTurnIndex(conversation, entryId);
  return { targetTurnIndex: index, entryIndex: index - 1, entryId };
}

/**
 * Index of the entry at which a branch starts; the header counts. After the branch, the entry is no longer on the path.
 * So the index that was found before the branch is returned; without one, the length of the new path.
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

/** The types that the functions in `Members` return, by name. */
type WorkedOutBy<Members> = { [K in keyof Members]: Members[K] extends () => infer Value ? Value : never };

/**
 * Adds members that are computed when they are first read. They are enumerable and assignable like any other, so that
 * hooks can spread, log, clone and overwrite what they get.
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
        defineValue(this, name, value);
        return value;
      },
      set(this: object, value: unknown) {
        defineValue(this, name, value);
      },
    });
  }
  return target as T & WorkedOutBy<Members>;
}

function defineValue(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
