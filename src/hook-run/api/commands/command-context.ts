import type { Api, Model } from '@mariozechner/pi-ai';
import type { PromptOptions } from '../../../agent/prompt/system-prompt';
import { isRecord } from '../../../base/json/is-record';
import { sessionManagerView } from '../aliases';
import { sendMessageTo, sendUserMessageTo } from '../api-actions';
import { HookContext, required, contextState } from '../context';
import type { ForkOutcome } from '../../../hook-contract/conversation-port';
import type { HandlerRun } from '../../dispatch/handler-run';
import type { HookServices } from '../services';

/** The arguments that the user typed after a command, in all forms that hooks expect (docs/dialects.md, C12, C13). */
export interface CommandArguments {
  /** Everything after the one space, as typed. */
  readonly raw: string;
  /** Split at spaces, outside of quotes. */
  readonly words: readonly string[];
  /** Which of them `ctx.args` is. */
  readonly form: 'raw' | 'words';
}

const NOT_IDLE = 'Hooks cannot reload while the agent is at work: wait until it is idle.';

/**
 * The `ctx` of commands: the `ctx` of events, and methods that change the session, which would deadlock in an event.
 */
export class HookCommandContext extends HookContext {
  readonly args: string | readonly string[];
  readonly argsRaw: string;
  readonly argv: readonly string[];

  constructor(run: HandlerRun, services: HookServices, given: CommandArguments) {
    super(run, services);
    this.args = given.form === 'raw' ? given.raw : given.words;
    this.argsRaw = given.raw;
    this.argv = given.words;
  }

  override get signal(): AbortSignal | undefined {
    const { run } = contextState(this);
    return run.hook.dialect.commandSignal === 'command' ? run.subject.signal : super.signal;
  }

  get setModel() {
    const state = contextState(this);
    return (model: Model<Api>): Promise<boolean> => required(state).setModel(model);
  }

  get setThinkingLevel() {
    const state = contextState(this);
    return (level: unknown): void => {
      required(state).setThinkingLevel(String(level));
    };
  }

  get waitForIdle() {
    const state = contextState(this);
    return (): Promise<void> => required(state).waitForIdle();
  }

  get getSystemPromptOptions() {
    const state = contextState(this);
    return (): PromptOptions => required(state).promptOptions();
  }

  get newSession() {
    const state = contextState(this);
    return (options: unknown): Promise<ForkOutcome> => {
      const { parentSession, setup, withSession } = optionsIn(options);
      const moving = required(state).newSession({
        ...(typeof parentSession === 'string' ? { parentSession } : {}),
        ...(typeof setup === 'function'
          ? {
              setup: (manager: object): unknown =>
                Reflect.apply(setup, undefined, [sessionManagerView(manager, state.run.hook.dialect)]),
            }
          : {}),
      });
      return goOnIn(moving, withSession, state);
    };
  }

  get fork() {
    const state = contextState(this);
    return (entryId: unknown, options: unknown): Promise<ForkOutcome> => {
      const { position, withSession } = optionsIn(options);
      const moving = required(state).fork(String(entryId), position === 'at' ? 'at' : 'before');
      return goOnIn(moving, withSession, state);
    };
  }

  get branch() {
    return this.fork;
  }

  get navigateTree() {
    const state = contextState(this);
    return (targetId: unknown, options: unknown): Promise<ForkOutcome> => {
      const { summarize, customInstructions, replaceInstructions, label } = optionsIn(options);
      return required(state).navigateTree(String(targetId), {
        summarize: Boolean(summarize),
        ...(typeof customInstructions === 'string' ? { customInstructions } : {}),
        ...(typeof replaceInstructions === 'boolean' ? { replaceInstructions } : {}),
        ...(typeof label === 'string' ? { label } : {}),
        onlyWhenIdle: state.run.hook.dialect.waitsForIdle,
      });
    };
  }

  get switchSession() {
    const state = contextState(this);
    return (sessionFile: unknown, options: unknown): Promise<ForkOutcome> => {
      const { withSession } = optionsIn(options);
      return goOnIn(required(state).switchSession(String(sessionFile)), withSession, state);
    };
  }

  get reload() {
    const state = contextState(this);
    return (): Promise<void> => {
      const { hook } = state.run;
      const conversation = required(state);
      if (hook.dialect.waitsForIdle && !conversation.isIdle(hook.dialect.busyUntil)) {
        return Promise.reject(new Error(NOT_IDLE));
      }
      return conversation.reload().then(() => {
        if (hook.identity.scope.isReleased) hook.isLeft = true;
      });
    };
  }
}

/** The `ctx` for the session that replaced another one: it can also send messages to it and wait for it. */
class ReplacedSessionContext extends HookCommandContext {
  get sendMessage() {
    const state = contextState(this);
    return (message: unknown, options: unknown): Promise<void> =>
      sendMessageTo(required(state), state.run.hook, message, options);
  }

  get sendUserMessage() {
    const state = contextState(this);
    return (content: unknown, options: unknown): Promise<void> =>
      sendUserMessageTo(required(state), state.run.hook, content, options);
  }
}

/** Runs a hook's callback in the session to which its conversation has moved. Rejects with what it throws. */
async function goOnIn(
  moving: Promise<ForkOutcome>,
  withSession: unknown,
  { run, services }: ReturnType<typeof contextState>,
): Promise<ForkOutcome> {
  const outcome = await moving;
  if (outcome.cancelled || typeof withSession !== 'function') return outcome;
  const given: CommandArguments = { raw: '', words: [], form: 'raw' };
  // The file may have started again, for the session that is open now.
  const load = services.loadOf(run.hook.path) ?? run.hook;
  const own = load === run.hook ? run : run.goOnIn(load);
  await Reflect.apply(withSession, undefined, [new ReplacedSessionContext(own, services, given)]);
  return outcome;
}

function optionsIn(given: unknown): Readonly<Record<string, unknown>> {
  return isRecord(given) ? given : {};
}
