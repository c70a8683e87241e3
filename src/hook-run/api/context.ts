import { isEntryType } from '../../agent/session/entry';
import type { Api, Model } from '@mariozechner/pi-ai';
import type { ScopedModel } from '../../agent/models/choice/model-scope';
import { modelRegistryView, sessionManagerView } from './aliases';
import type { OtherAgent } from '../../hook-typings/context/context';
import type { ContextUsage, ConversationMode, HookConversation } from '../../hook-contract/conversation-port';
import { copyable } from './copyable';
import type { HandlerRun } from '../dispatch/handler-run';
import { seenBy } from './seen-by';
import { assertNotGone, STALE } from './stale';
import { execFor, type HookExecResult } from './hook-exec';
import type { HookServices } from './services';
import { v1View, type ViewEntry } from '../../hook-contract/session/session-view';
import { resultFor } from '../../hook-contract/session/visible-session';
import { HookUi } from './ui/ui-context';

/** Hidden from hooks; kept by symbol, so that copies of a `ctx` have it as well. */
const STATE = Symbol('context');

interface ContextState {
  readonly run: HandlerRun;
  readonly services: HookServices;
  /** The session in which it was passed to the hook, for files that end with the session. */
  readonly session: object | undefined;
  ui: HookUi | undefined;
}

/**
 * The `ctx` of one call: the union of the members of all dialects. It is created for every call and therefore small:
 * members are getters of the prototype, methods need no `this`.
 */
export class HookContext {
  readonly [STATE]: ContextState;

  constructor(run: HandlerRun, services: HookServices) {
    const session = run.hook.dialect.endsWithSession ? run.subject.conversation?.sessionManager : undefined;
    this[STATE] = { run, services, session, ui: undefined };
    return copyable(this);
  }

  get ui(): HookUi {
    const state = currentState(this);
    return (state.ui ??= copyable(new HookUi(state.run, state.services)));
  }

  get mode(): ConversationMode {
    return conversationOf(this[STATE])?.mode ?? this[STATE].services.mode;
  }

  /** Signal of the running agent run; undefined when idle. */
  get signal(): AbortSignal | undefined {
    return conversationOf(this[STATE])?.signal;
  }

  get hasUI(): boolean {
    return conversationOf(this[STATE])?.hasUI ?? false;
  }

  get agent(): OtherAgent | undefined {
    return conversationOf(this[STATE])?.agent;
  }

  get cwd(): string {
    return conversationOf(this[STATE])?.cwd ?? this[STATE].services.cwd ?? '';
  }

  get exec() {
    const { run, services } = currentState(this);
    const { cwd } = this;
    return (...given: readonly unknown[]): Promise<HookExecResult> => execFor(run.hook, services, cwd, given);
  }

  get sessionFile(): string | null {
    return conversationOf(this[STATE])?.sessionFile ?? null;
  }

  get sessionManager(): object {
    const state = this[STATE];
    return sessionManagerView(required(state).sessionManager, state.run.hook.dialect);
  }

  get modelRegistry(): object {
    return modelRegistryView(required(this[STATE]).modelRegistry);
  }

  get model(): Model<Api> | null | undefined {
    return conversationOf(this[STATE])?.model() ?? this[STATE].run.hook.dialect.none;
  }

  get thinkingLevel(): string {
    return conversationOf(this[STATE])?.thinkingLevel() ?? 'off';
  }

  get scopedModels(): readonly ScopedModel[] {
    return conversationOf(this[STATE])?.scopedModels() ?? [];
  }

  /** The session as V1 counts it (docs/dialects.md, C6). */
  get entries(): readonly ViewEntry[] {
    const conversation = conversationOf(this[STATE]);
    return conversation === undefined ? [] : [...v1View(conversation)];
  }

  get findModel() {
    const state = this[STATE];
    return (provider: string, id: string): unknown => registryCall(state, ['find'], [provider, id]) ?? null;
  }

  get availableModels() {
    const state = this[STATE];
    return async (): Promise<unknown> => (await registryCall(state, ['getAvailable', 'getAvailableModels'], [])) ?? [];
  }

  get resolveApiKey() {
    const state = this[STATE];
    return (model: Model<Api>): Promise<string | undefined> => required(state).resolveApiKey(model);
  }

  get saveEntry() {
    const state = this[STATE];
    return async (entry: unknown): Promise<void> => {
      if (typeof entry !== 'object' || entry === null || typeof (entry as { type?: unknown }).type !== 'string') {
        throw new TypeError('saveEntry needs an object with a "type"');
      }
      const { type } = entry as { readonly type: string };
      if (type === 'session' || isEntryType(type)) {
        throw new TypeError(`saveEntry cannot store an entry of the core type "${type}". Use a type of your own.`);
      }
      await required(state).saveEntry(entry as { readonly type: string });
    };
  }

  get rebuildContext() {
    const state = this[STATE];
    return (): Promise<void> => required(state).rebuildContext();
  }

  get isIdle() {
    const state = this[STATE];
    return (): boolean => conversationOf(state)?.isIdle(state.run.hook.dialect.busyUntil) ?? true;
  }

  get abort() {
    const state = this[STATE];
    return (): void => {
      conversationOf(state)?.abort();
    };
  }

  get hasPendingMessages() {
    const state = this[STATE];
    return (): boolean => conversationOf(state)?.hasPendingMessages() ?? false;
  }

  get hasQueuedMessages() {
    return this.hasPendingMessages;
  }

  get shutdown() {
    const state = this[STATE];
    return (): void => {
      conversationOf(state)?.shutdown();
    };
  }

  get getContextUsage() {
    const state = this[STATE];
    return (): ContextUsage | undefined => conversationOf(state)?.contextUsage();
  }

  get getSystemPrompt() {
    const state = this[STATE];
    return (): string => conversationOf(state)?.systemPrompt() ?? '';
  }

  get isProjectTrusted() {
    const { services } = currentState(this);
    return (): boolean => services.isProjectTrusted();
  }

  /** Does not wait; the callbacks get the outcome. */
  get compact() {
    const state = this[STATE];
    return (options: unknown): void => {
      void compactFor(state, options);
    };
  }
}

export function contextState(context: HookContext): ContextState {
  return context[STATE];
}

/** @throws when the session or the load that the `ctx` belongs to is over, in dialects that say so. */
function currentState(context: HookContext): ContextState {
  assertCurrent(context[STATE]);
  return context[STATE];
}

function assertCurrent({ run: { hook, subject }, services, session }: ContextState): void {
  assertNotGone(hook);
  if (session === undefined) return;
  const { conversation } = subject;
  const isOpen = services.conversationFor(conversation) === conversation;
  if (!isOpen || conversation?.sessionManager !== session) throw new Error(STALE);
}

function conversationOf(state: ContextState): HookConversation | undefined {
  assertCurrent(state);
  const { run, services } = state;
  return seenBy(run.hook, services.conversationFor(run.subject.conversation));
}

/** The conversation, or an error that says what is missing. */
export function required(state: ContextState): HookConversation {
  const conversation = conversationOf(state);
  if (conversation === undefined) throw new Error('There is no open conversation.');
  return conversation;
}

function registryCall(state: ContextState, names: readonly string[], args: readonly unknown[]): unknown {
  const { modelRegistry } = required(state);
  for (const name of names) {
    const method: unknown = Reflect.get(modelRegistry, name);
    if (typeof method === 'function') return Reflect.apply(method, modelRegistry, [...args]);
  }
  return undefined;
}

async function compactFor(state: ContextState, options: unknown): Promise<void> {
  const { customInstructions, onComplete, onError } = (options ?? {}) as Readonly<Record<string, unknown>>;
  const { run, services } = state;
  try {
    const result = await required(state).compact(typeof customInstructions === 'string' ? { customInstructions } : {});
    const hookResult = resultFor(run.hook.dialect, result);
    if (typeof onComplete === 'function') await Promise.resolve(Reflect.apply(onComplete, undefined, [hookResult]));
  } catch (error) {
    try {
      if (typeof onError === 'function') await Promise.resolve(Reflect.apply(onError, undefined, [error]));
      else services.report(run.hook, 'compact', error);
    } catch (nested) {
      services.report(run.hook, 'compact', nested);
    }
  }
}
