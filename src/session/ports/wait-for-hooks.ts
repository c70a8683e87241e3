import * as l10n from '@vscode/l10n';
import { anySignal, withTimeout } from '../../base/async/wait';
import type { HookConversation } from '../../hook-contract/conversation-port';
import { namesOf } from '../../hook-contract/events/event-table';
import type { HookEvent, HookEventType, HookResult } from '../../hook-contract/hook-event';
import { hookRef } from '../../transcript/hook-ref';
import type { HookHost } from '../../hook-run/host/host';

/** How long a start or a switch waits for hooks, in ms; time in which a hook asks the user something does not count. */
export const HOOK_WAIT_MS = 5000;

/** The hooks that a step waits for, for how long, and how a missing answer is reported. */
export interface HookWait {
  readonly hooks: Pick<HookHost, 'runner' | 'records' | 'infos'>;
  readonly conversation: HookConversation;
  /** True while a hook of this conversation asks the user something. */
  readonly isAsking: () => boolean;
  readonly onSlowHook: (slowHook: SlowHook) => void;
  /** {@link HOOK_WAIT_MS} when absent. */
  readonly hookWaitMs?: number;
}

/** A hook that did not answer in time. */
export interface SlowHook {
  /** For people. */
  readonly text: string;
  /** Its entry file, when it is known. */
  readonly hookPath: string | undefined;
}

/**
 * Tells hooks of a step that must come to its end whatever they do. A handler that does not answer in time
 * is given up, as is one that still runs shortly after `signal` fires; those behind it are still called. Resolves when
 * all have answered or the time is over.
 */
export async function emitWithTimeout<E extends HookEvent>(
  event: E,
  { hooks, conversation, isAsking, onSlowHook, hookWaitMs }: HookWait,
  signal?: AbortSignal,
): Promise<HookResult<E['type']> | undefined> {
  const giveUp = new AbortController();
  const asking = hooks.runner.emit(event, conversation, { signal: anySignal(giveUp.signal, signal) });
  const answer = await waitForHooks(event.type, asking, hooks, {
    conversation: conversation.id,
    isAsking,
    hookWaitMs,
  });
  if ('value' in answer) return answer.value;
  giveUp.abort();
  onSlowHook(answer);
  return undefined;
}

/**
 * Asks hooks about a step that needs their answer, however long that takes: nobody may pass a gate because it is slow. When
 * it takes too long, the user is notified once which hook the step waits for.
 */
export async function emitAndReportSlow<E extends HookEvent>(
  event: E,
  parts: HookWait,
): Promise<HookResult<E['type']>> {
  const { hooks, conversation, isAsking, onSlowHook, hookWaitMs } = parts;
  const asking = hooks.runner.emit(event, conversation);
  const waiting = { conversation: conversation.id, isAsking, hookWaitMs };
  const answer = await waitForHooks(event.type, asking, hooks, waiting);
  if ('value' in answer) return answer.value;
  const text = l10n.t('{0} has not answered {1} yet. Your request continues when it does.', answer.who, event.type);
  onSlowHook({ text, hookPath: answer.hookPath });
  return asking;
}

/** Waits for hooks to answer an event that was sent; `conversation` is empty for one sent before there is any. */
export async function waitForHooks<T>(
  event: HookEventType,
  asking: Promise<T>,
  hooks: Pick<HookHost, 'records' | 'infos'>,
  {
    conversation,
    isAsking,
    hookWaitMs = HOOK_WAIT_MS,
  }: { readonly conversation: string; readonly isAsking: () => boolean; readonly hookWaitMs?: number | undefined },
): Promise<{ readonly value: T } | (SlowHook & { readonly who: string })> {
  const answered = new Set<string>();
  const listening = hooks.records.onDidDispatch(record => {
    if (record.event === event && record.conversation === conversation) answered.add(record.hookPath);
  });
  try {
    const given = asking.then(value => ({ value }));
    return await withTimeout(given, hookWaitMs, () => slowHook(event, answered, hooks, hookWaitMs), isAsking);
  } finally {
    listening.dispose();
  }
}

/** Handlers run one after the other: the first hook that has not answered is the one that hangs. */
function slowHook(
  event: HookEventType,
  answered: ReadonlySet<string>,
  hooks: Pick<HookHost, 'infos'>,
  hookWaitMs: number,
): SlowHook & { readonly who: string } {
  const names = namesOf(event);
  const listens = hooks.infos().filter(({ handlers }) => handlers.some(handler => names.includes(handler.event)));
  const hookPath = listens.find(({ path }) => !answered.has(path))?.path;
  const who = hookPath === undefined ? l10n.t('A hook') : l10n.t('Hook "{0}"', hookRef(hookPath).name);
  const seconds = hookWaitMs / 1000;
  const text = l10n.t('{0} is still busy with {1} after {2} s. Hookline no longer waits for it.', who, event, seconds);
  return { text, hookPath, who };
}
