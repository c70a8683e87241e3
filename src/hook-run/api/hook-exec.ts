import { anySignal } from '../../base/async/wait';
import type { ExecResult } from '../../agent/tools/shell/exec';
import type { LoadedHook } from '../../hook-contract/loaded-hook';
import type { HookServices } from './services';

/** The result in the hook's dialect. */
export type HookExecResult = Omit<ExecResult, 'truncated'> & Partial<Pick<ExecResult, 'truncated'>>;

/**
 * `pi.exec` and `ctx.exec`: rejects only for a `maxBuffer` that cannot be one; `timeout` is in ms (docs/dialects.md, C23); `env` adds variables,
 * `input` is written to stdin, both for the adapter of shell hooks. The process belongs
 * to the hook's load: it ends when the load is released, unless a handler that still runs may be waiting for it.
 */
export async function execFor(
  hook: LoadedHook,
  services: HookServices,
  cwd: string,
  given: readonly unknown[],
): Promise<HookExecResult> {
  const [command, args, options] = given;
  const { signal, timeout, maxBuffer, cwd: ownCwd, env, input } = (options ?? {}) as Readonly<Record<string, unknown>>;
  const controller = new AbortController();
  const owned = hook.identity.scope.own({
    what: `process ${String(command)}`,
    kind: 'work',
    close: () => controller.abort(),
  });
  try {
    const dry = services.conversationFor();
    const exec = dry?.exec?.bind(dry) ?? services.exec.bind(services);
    const { truncated, ...result } = await exec(String(command), Array.isArray(args) ? args.map(String) : [], {
      cwd: typeof ownCwd === 'string' ? ownCwd : cwd,
      signal: anySignal(controller.signal, signal instanceof AbortSignal ? signal : undefined),
      ...(typeof timeout === 'number' ? { timeout } : {}),
      ...(typeof maxBuffer === 'number' ? { maxBuffer } : {}),
      ...(typeof input === 'string' ? { input } : {}),
      ...(typeof env === 'object' && env !== null ? { env: textsIn(env) } : {}),
    });
    return hook.dialect.exposesTruncated || maxBuffer !== undefined ? { ...result, truncated } : result;
  } finally {
    owned.dispose();
  }
}

/** Variables as they can be passed to a process: other values than texts are left out. */
function textsIn(env: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}
