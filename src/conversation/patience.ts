import * as l10n from '@vscode/l10n';
import type { HookConversation } from '../hooks/conversation-port';
import { namesOf } from '../hooks/events/event-table';
import type { HookEvent, HookEventType, HookResult } from '../hooks/events/hook-event';
import { hookRef } from './hook-ref';
import type { HookHost } from '../hooks/host/host';

/** How long a start or a switch waits for hooks, in ms; time in which a hook asks the person something does not count. */
export const PATIENCE_MS = 5000;
const TICK_MS = 100;

/** Whom a step waits for, and who hears that it goes on without them. */
export interface PatienceParts {
  readonly hooks: Pick<HookHost, 'runner' | 'records' | 'infos'>;
  readonly conversation: HookConversation;
  /** True while a hook of this conversation asks the person something. */
  readonly isAsking: () => boolean;
  readonly onGivenUp: (givenUp: GivenUp) => void;
  /** {@link PATIENCE_MS} when absent. */
  readonly patienceMs?: number;
}

/** A hook that did not answer in time. */
export interface GivenUp {
  /** For people. */
  readonly text: string;
  /** Its entry file, when it can be told. */
  readonly hookPath: string | undefined;
}

/**
 * Tells hooks of a step that must come to its end whatever they do. A handler that does not answer is given up after
 * the patience, or shortly after `signal` fires; those behind it are still called. Resolves when all have answered or
 * the patience is at its end.
 */
export async function emitPatiently<E extends HookEvent>(
  event: E,
  { hooks, conversation, isAsking, onGivenUp, patienceMs }: PatienceParts,
  signal?: AbortSignal,
): Promise<HookResult<E['type']> | undefined> {
  const giveUp = new AbortController();
  const either = signal === undefined ? giveUp.signal : AbortSignal.any([giveUp.signal, signal]);
  const asking = hooks.runner.emit(event, conversation, { signal: either });
  const answer = await waitPatiently(event.type, asking, hooks, {
    conversation: conversation.id,
    isAsking,
    patienceMs,
  });
  if ('value' in answer) return answer.value;
  giveUp.abort();
  onGivenUp(answer);
  return undefined;
}

/**
 * Asks hooks about a step that needs their answer, however long that takes: nobody may pass a gate because it is slow. When
 * the patience is at its end, the person hears once who keeps the step waiting.
 */
export async function emitAndTell<E extends HookEvent>(event: E, parts: PatienceParts): Promise<HookResult<E['type']>> {
  const { hooks, conversation, isAsking, onGivenUp, patienceMs } = parts;
  const asking = hooks.runner.emit(event, conversation);
  const waiting = { conversation: conversation.id, isAsking, patienceMs };
  const answer = await waitPatiently(event.type, asking, hooks, waiting);
  if ('value' in answer) return answer.value;
  const text = l10n.t('{0} has not answered {1} yet; what you asked for goes on when it does.', answer.who, event.type);
  onGivenUp({ text, hookPath: answer.hookPath });
  return asking;
}

/** Waits for hooks to answer an event that was sent; `conversation` is empty for one sent before there is any. */
export async function waitPatiently<T>(
  event: HookEventType,
  asking: Promise<T>,
  hooks: Pick<HookHost, 'records' | 'infos'>,
  {
    conversation,
    isAsking,
    patienceMs = PATIENCE_MS,
  }: { readonly conversation: string; readonly isAsking: () => boolean; readonly patienceMs?: number | undefined },
): Promise<{ readonly value: T } | (GivenUp & { readonly who: string })> {
  const answered = new Set<string>();
  const listening = hooks.records.onDidDispatch(record => {
    if (record.event === event && record.conversation === conversation) answered.add(record.hookPath);
  });
  const tick = Math.min(TICK_MS, patienceMs);
  let spent = 0;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<undefined>(resolve => {
    timer = setInterval(() => {
      if (!isAsking()) spent += tick;
      if (spent >= patienceMs) resolve(undefined);
    }, tick);
  });
  try {
    const answer = await Promise.race([asking.then(value => ({ value })), over]);
    return answer ?? givenUp(event, answered, hooks, patienceMs);
  } finally {
    clearInterval(timer);
    listening.dispose();
  }
}

/** Handlers run one after the other: the first hook that has not answered is the one that hangs. */
function givenUp(
  event: HookEventType,
  answered: ReadonlySet<string>,
  hooks: Pick<HookHost, 'infos'>,
  patienceMs: number,
): GivenUp & { readonly who: string } {
  const names = namesOf(event);
  const listens = hooks.infos().filter(({ handlers }) => handlers.some(handler => names.includes(handler.event)));
  const hookPath = listens.find(({ path }) => !answered.has(path))?.path;
  const who = hookPath === undefined ? l10n.t('A hook') : l10n.t('Hook "{0}"', hookRef(hookPath).name);
  const seconds = patienceMs / 1000;
  const text = l10n.t('{0} is still busy with {1} after {2} s; it is not waited for any longer.', who, event, seconds);
  return { text, hookPath, who };
}
