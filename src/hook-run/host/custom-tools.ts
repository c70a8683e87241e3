import { isRecord } from '../../base/json/is-record';
import type { ReadonlySessionManager } from '../../hook-typings/session/session-manager';
import { HookContext } from '../api/context';
import type { HookServices } from '../api/services';
import { HandlerRun } from '../dispatch/handler-run';
import type { LoadedHook } from '../../hook-contract/loaded-hook';

/** What the factory of a file of custom tools gets: `api`, and what of the conversation its tools read at any time. */
export function customToolApi(api: object, hook: LoadedHook, services: HookServices): object {
  const context = (): HookContext =>
    new HookContext(
      new HandlerRun(hook, { event: 'tool', role: 'deciding', conversation: services.conversationFor() }),
      services,
    );
  return Object.create(api, {
    cwd: { get: () => context().cwd, enumerable: true },
    hasUI: { get: () => context().hasUI, enumerable: true },
    ui: { get: () => context().ui, enumerable: true },
  }) as object;
}

interface WithSession {
  readonly sessionManager: Pick<ReadonlySessionManager, 'getSessionFile' | 'getBranch'>;
}

/** Events of a session, and what they are for the `onSession` of such a tool. */
const REASONS = {
  session_start: 'start',
  session_switch: 'switch',
  session_branch: 'branch',
  session_tree: 'tree',
  session_shutdown: 'shutdown',
} as const;

/**
 * Registers what a factory returned: a tool, or a list of them. An `onSession` hears of the session from then on.
 * @throws TypeError that names what is wrong with a tool
 */
export function registerCustomTools(returned: unknown, api: object): void {
  const pi = api as Readonly<Record<'on' | 'registerTool', (...given: readonly unknown[]) => unknown>>;
  for (const tool of (Array.isArray(returned) ? returned : [returned]).filter(isRecord)) {
    pi.registerTool(tool);
    const { onSession } = tool;
    if (typeof onSession !== 'function') continue;
    for (const [event, reason] of Object.entries(REASONS)) {
      pi.on(event, (payload: object, ctx: WithSession): unknown => {
        const { sessionManager } = ctx;
        const session = { sessionFile: sessionManager.getSessionFile(), entries: sessionManager.getBranch() };
        return Reflect.apply(onSession, tool, [{ ...payload, ...session, reason }, ctx]) as unknown;
      });
    }
  }
}
