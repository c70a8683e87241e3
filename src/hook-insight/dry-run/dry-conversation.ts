import type { HookQuestion } from '../../hooks/api/ui/ui';
import type { HookConversation } from '../../hooks/conversation-port';

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

/** What each action answers instead of being done. */
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

/** An action that a hook wanted and that was not done. */
export interface Withheld {
  readonly action: string;
  readonly args: readonly unknown[];
}

/**
 * A conversation whose facts and dialogs are the real one's, while nothing that a hook does to it is done: each action
 * is told to `withheld` and answered as if it had been (sessions as if the user had declined).
 */
export function dryConversation(real: HookConversation, withheld: (action: Withheld) => void): HookConversation {
  const models = new WeakMap<object, object>();
  const sessions = new WeakMap<object, object>();
  return new Proxy(real, {
    get(target, name) {
      if (isAction(name)) {
        const answer = ANSWERS[name] as (...args: readonly unknown[]) => unknown;
        return (...args: readonly unknown[]): unknown => {
          withheld({ action: name, args });
          return answer(...args);
        };
      }
      if (name === 'ui') return dryUi(target.ui);
      if (name === 'sessionManager') {
        const { sessionManager } = target;
        const known =
          sessions.get(sessionManager) ??
          readOnly(sessionManager, { name, writes: WRITES, answer: () => 'not-done', withheld });
        sessions.set(sessionManager, known);
        return known;
      }
      if (name === 'modelRegistry') {
        const { modelRegistry } = target;
        const known = models.get(modelRegistry) ?? readOnlyModels(modelRegistry, withheld);
        models.set(modelRegistry, known);
        return known;
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Questions are real, and say that nothing follows from their answer. */
function dryUi(ui: HookConversation['ui']): HookConversation['ui'] {
  return new Proxy(ui, {
    get(target, name) {
      if (name === 'ask') return (asked: HookQuestion) => target.ask({ ...asked, instead: 'dry-fire' });
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

function isAction(name: string | symbol): name is Action {
  return typeof name === 'string' && Object.hasOwn(ANSWERS, name);
}

/** Methods by which a session is changed or let go of; ids that they answer are made up. */
const WRITES = /^(?:append|branch|create|dispose|flush|fork|import|new|open|reset|rewrite|set|take)/;

/** Methods by which models and providers are changed. */
const MODEL_WRITES = /^(?:dispose|load|refresh|register|set|unregister|update)/;

/** Methods by which keys and logins are changed. */
const KEY_WRITES = /^(?:clear|login|logout|reload|remove|set)/;

/** Members among these that return a promise. */
const WAITED_FOR = /^(?:load|login|logout|refresh|reload)/;

interface Guard {
  /** Prefix of the method's name in reports. */
  readonly name: string;
  readonly writes: RegExp;
  /** What a method answers that is not done. */
  readonly answer: (method: string) => unknown;
  readonly withheld: (action: Withheld) => void;
  /** Members that are guarded themselves. */
  readonly members?: Readonly<Record<string, object>> | undefined;
}

function readOnlyModels(registry: object, withheld: (action: Withheld) => void): object {
  const answer = (method: string): unknown => (WAITED_FOR.test(method) ? Promise.resolve() : undefined);
  const storage: unknown = Reflect.get(registry, 'authStorage');
  const members: Guard['members'] =
    typeof storage === 'object' && storage !== null
      ? { authStorage: readOnly(storage, { name: 'modelRegistry.authStorage', writes: KEY_WRITES, answer, withheld }) }
      : {};
  return readOnly(registry, { name: 'modelRegistry', writes: MODEL_WRITES, answer, withheld, members });
}

/** The reading members of an object. Calls of writing members are reported and not executed. */
function readOnly(real: object, { name: owner, writes, answer, withheld, members = {} }: Guard): object {
  return new Proxy(real, {
    get(target, name) {
      if (typeof name === 'string' && Object.hasOwn(members, name)) return members[name];
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (typeof name !== 'string' || !writes.test(name)) return value.bind(target) as unknown;
      return (...args: readonly unknown[]): unknown => {
        withheld({ action: `${owner}.${name}`, args });
        return answer(name);
      };
    },
  });
}
