import type { Api, Model } from '@mariozechner/pi-ai';
import { sessionManagerView } from './aliases';
import { HookContext, required, stateOf } from './context';
import type { ForkOutcome } from '../conversation-port';
import type { HandlerRun } from '../dispatch/handler-run';
import type { HookServices } from './services';

/** What the user typed behind a command, in all forms that hooks expect (docs/dialects.md, C12, C13). */
export interface CommandArguments {
  /** Everything after the one space, as typed. */
  readonly raw: string;
  /** Split at blanks, quotes respected. */
  readonly words: readonly string[];
  /** Which of them `ctx.args` is. */
  readonly form: 'raw' | 'words';
}

/** The `ctx` of commands: events' `ctx` and what changes the session, which would deadlock in an event. */
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
    return stateOf(this).run.subject.signal;
  }

  get setModel() {
    const state = stateOf(this);
    return (model: Model<Api>): Promise<boolean> => required(state).setModel(model);
  }

  get setThinkingLevel() {
    const state = stateOf(this);
    return (level: unknown): void => {
      required(state).setThinkingLevel(String(level));
    };
  }

  get waitForIdle() {
    const state = stateOf(this);
    return (): Promise<void> => required(state).waitForIdle();
  }

  get newSession() {
    const state = stateOf(this);
    return (options: unknown): Promise<ForkOutcome> => {
      const { parentSession, setup } = (options ?? {}) as Readonly<Record<string, unknown>>;
      return required(state).newSession({
        ...(typeof parentSession === 'string' ? { parentSession } : {}),
        ...(typeof setup === 'function'
          ? {
              setup: (manager: object): unknown =>
                Reflect.apply(setup, undefined, [sessionManagerView(manager, state.run.hook.dialect)]),
            }
          : {}),
      });
    };
  }

  get fork() {
    const state = stateOf(this);
    return (entryId: unknown): Promise<ForkOutcome> => required(state).fork(String(entryId));
  }

  get branch() {
    return this.fork;
  }

  get navigateTree() {
    const state = stateOf(this);
    return (targetId: unknown, options: unknown): Promise<ForkOutcome> =>
      required(state).navigateTree(String(targetId), options ?? {});
  }

  get switchSession() {
    const state = stateOf(this);
    return (sessionFile: unknown): Promise<ForkOutcome> => required(state).switchSession(String(sessionFile));
  }

  get reload() {
    const state = stateOf(this);
    return (): Promise<void> => required(state).reload();
  }
}
