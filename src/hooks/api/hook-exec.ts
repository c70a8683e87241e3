import { anySignal } from '../../base/wait';
import type { ExecResult } from '../../agent/tools/shell/exec';
import type { LoadedHook } from '../loaded-hook';
import type { HookServices } from './services';

/**
 * `pi.exec` and `ctx.exec`: never rejects; `timeout` is in ms (docs/dialects.md, C23); `env` adds variables,
 * `input` is written to stdin, both for the adapter of shell hooks. The process belongs
 * to the hook's load: it ends when the load is released, unless a handler that still runs may be waiting for it.
 */
export async function execFor(
  hook: LoadedHook,
  services: HookServices,
  cwd: string,
  given: readonly unknown[],
): Promise<ExecResult> {
  const [command, args, options] = given;
  const { signal, timeout, cwd: ownCwd, env, input } = (options ?? {}) as Readonly<Record<string, unknown>>;
  const controller = new AbortController();
  const owned = hook.identity.scope.own({
    what: `process ${String(command)}`,
    kind: 'work',
    close: () => controller.abort(),
  });
  try {
    const dry = services.conversationFor();
    const exec = dry?.exec?.bind(dry) ?? services.exec.bind(services);
    return await exec(String(command), Array.isArray(args) ? args.map(String) : [], {
      cwd: typeof ownCwd === 'string' ? ownCwd : cwd,
      signal: anySignal(controller.signal, signal instanceof AbortSignal ? signal : undefined),
      ...(typeof timeout === 'number' ? { timeout } : {}),
      ...(typeof input === 'string' ? { input } : {}),
      ...(typeof env === 'object' && env !== null ? { env: textsIn(env) } : {}),
    });
  } finally {
    owned.dispose();
  }
}

/** Variables as they can be handed to a process: other values than texts are left out. */
function textsIn(env: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}
