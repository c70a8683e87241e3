import { performance } from 'node:perf_hooks';
import { isRecord } from '../../base/json/is-record';
import type { Answer, HookQuestion } from '../../hook-contract/ui/ui';
import type { HookConversation } from '../../hook-contract/conversation-port';

type Action = Extract<
  keyof HookConversation,
  | 'setModel'
  | 'setThinkingLevel'
  | 'abort'
  | 'shutdown'
  | 'sendUserMessage'
  | 'sendCustomMessage'
  | 'appendEntry'
  | 'saveEntry'
  | 'rebuildContext'
  | 'setSessionName'
  | 'setLabel'
  | 'setActiveTools'
  | 'compact'
  | 'newSession'
  | 'fork'
  | 'navigateTree'
  | 'switchSession'
  | 'reload'
  | 'exec'
>;

const declined = { cancelled: true } as const;
const nothing = (): void => undefined;
const done = (): Promise<void> => Promise.resolve();
const notMoved = () => Promise.resolve(declined);

/** What each action returns without doing anything. */
const ANSWERS: { readonly [A in Action]-?: NonNullable<HookConversation[A]> } = {
  setModel: () => Promise.resolve(true),
  setThinkingLevel: nothing,
  abort: nothing,
  shutdown: nothing,
  sendUserMessage: done,
  sendCustomMessage: done,
  appendEntry: nothing,
  saveEntry: done,
  rebuildContext: done,
  setSessionName: nothing,
  setLabel: nothing,
  setActiveTools: nothing,
  compact: () => Promise.resolve({ summary: '', firstKeptEntryId: '', tokensBefore: 0 }),
  newSession: notMoved,
  fork: notMoved,
  navigateTree: notMoved,
  switchSession: notMoved,
  reload: done,
  exec: () => Promise.resolve({ stdout: '', stderr: '', code: 0, killed: false, truncated: false }),
};

/** An action that a hook called and that was not done. */
export interface WithheldAction {
  readonly action: string;
  readonly args: readonly unknown[];
}

/**
 * Wraps a conversation so that hooks can read it and ask real questions, but not change it. Each action is passed to
 * `onWithheld` and returns what it would after success; a change of the session returns that the user declined.
 */
export function dryConversation(
  real: HookConversation,
  onWithheld: (action: WithheldAction) => void,
): HookConversation {
  const models = new WeakMap<object, object>();
  const sessions = new WeakMap<object, object>();
  return new Proxy(real, {
    get(target, name) {
      if (isAction(name)) {
        const answer = ANSWERS[name] as (...args: readonly unknown[]) => unknown;
        return (...args: readonly unknown[]): unknown => {
          onWithheld({ action: name, args });
          return answer(...args);
        };
      }
      if (name === 'ui') return dryUi(target.ui, onWithheld);
      if (name === 'sessionManager') {
        const { sessionManager } = target;
        const known =
          sessions.get(sessionManager) ??
          readOnly(sessionManager, { name, writes: WRITES, answer: () => 'not-done', onWithheld });
        sessions.set(sessionManager, known);
        return known;
      }
      if (name === 'modelRegistry') {
        const { modelRegistry } = target;
        const known = models.get(modelRegistry) ?? readOnlyModels(modelRegistry, onWithheld);
        models.set(modelRegistry, known);
        return known;
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Asks the user real questions, which say that the answer has no effect, and changes nothing else that the user sees. */
function dryUi(ui: HookConversation['ui'], onWithheld: (action: WithheldAction) => void): HookConversation['ui'] {
  // The user has just started the test, and waits for what it asks.
  let actedAt = performance.now();
  const ask = async (asked: HookQuestion): Promise<Answer> => {
    const given = await ui.ask({ ...asked, instead: 'dry-run', asker: { type: 'command', actedAt } });
    if (given !== undefined) actedAt = performance.now();
    return given;
  };
  const answer = (method: string): unknown => (UI_DISPOSABLE.test(method) ? { dispose: nothing } : undefined);
  return readOnly(ui, {
    name: 'ui',
    writes: UI_WRITES,
    answer,
    onWithheld: ({ action, args }) => onWithheld({ action, args: args.filter(arg => !isOrigin(arg)) }),
    members: { ask },
  }) as HookConversation['ui'];
}

/** Whether an argument says which hook calls: Hookline adds it to what the hook gives. */
function isOrigin(arg: unknown): boolean {
  return isRecord(arg) && 'hookPath' in arg;
}

function isAction(name: string | symbol): name is Action {
  return typeof name === 'string' && Object.hasOwn(ANSWERS, name);
}

/** Methods that change a session or release it; the ids that they return here are made up. */
const WRITES = /^(?:append|branch|create|dispose|flush|fork|import|new|open|reset|rewrite|set|take)/;

/** Methods that change the composer, or what stays on the screen after the call. */
const UI_WRITES = /^(?:add|on|paste|set)/;

/** Those of the methods that return something to dispose. */
const UI_DISPOSABLE = /^(?:add|on)/;

/** Methods that change models and providers. */
const MODEL_WRITES = /^(?:dispose|load|refresh|register|set|unregister|update)/;

/** Methods that change keys and logins. */
const KEY_WRITES = /^(?:clear|login|logout|reload|remove|set)/;

/** Those of the methods that return a promise. */
const WAITED_FOR = /^(?:load|login|logout|refresh|reload)/;

interface Guard {
  /** Prefix of the method's name in reports. */
  readonly name: string;
  readonly writes: RegExp;
  /** What a method returns that is not done. */
  readonly answer: (method: string) => unknown;
  readonly onWithheld: (action: WithheldAction) => void;
  /** Members that are replaced by guarded objects. */
  readonly members?: Readonly<Record<string, object>> | undefined;
}

function readOnlyModels(registry: object, onWithheld: (action: WithheldAction) => void): object {
  const answer = (method: string): unknown => (WAITED_FOR.test(method) ? Promise.resolve() : undefined);
  const storage: unknown = Reflect.get(registry, 'authStorage');
  const members: Guard['members'] =
    typeof storage === 'object' && storage !== null
      ? {
          authStorage: readOnly(storage, { name: 'modelRegistry.authStorage', writes: KEY_WRITES, answer, onWithheld }),
        }
      : {};
  return readOnly(registry, { name: 'modelRegistry', writes: MODEL_WRITES, answer, onWithheld, members });
}

/**
 * Wraps an object so that it can only be read. Calls of methods that write are reported to `onWithheld`, not executed.
 */
function readOnly(real: object, { name: owner, writes, answer, onWithheld, members = {} }: Guard): object {
  return new Proxy(real, {
    get(target, name) {
      if (typeof name === 'string' && Object.hasOwn(members, name)) return members[name];
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (typeof name !== 'string' || !writes.test(name)) return value.bind(target) as unknown;
      return (...args: readonly unknown[]): unknown => {
        onWithheld({ action: `${owner}.${name}`, args });
        return answer(name);
      };
    },
  });
}
