import { defined } from '../../base/defined';
import { ok, type Problem } from '../../base/result';
import { createApi } from '../api/api';
import { DIALECTS } from '../../hook-contract/dialects';
import { detectDialect, featuresIn, holdsCustomTools } from '../../hook-contract/dialects/detect';
import { customToolApi, registerCustomTools } from './custom-tools';
import type { HookFile } from '../../hook-load/files/discover';
import { hookError } from '../../hook-contract/errors';
import { LoadedHook, type HookScope } from '../../hook-contract/loaded-hook';
import { BuiltInsReplaced, runLoading } from '../../hook-load/built-ins';
import { contentOf, type HookModule, type LoadResult } from '../../hook-load/graph/hook-module';
import { evidenceOf } from '../../hook-load/graph/text-evidence';
import type { HookServices } from '../api/services';

export interface ActivateOptions {
  readonly file: HookFile;
  readonly module: HookModule;
  readonly scope: HookScope;
  readonly services: HookServices;
  /** Dialect set for this file by the user. */
  readonly dialectSetting: string | undefined;
  /** ms a factory may take */
  readonly timeoutMs: number;
}

/**
 * Runs a factory and returns the hook. The dialect is detected twice: from the text, for the behavior of `pi` during
 * the factory, and again with what the factory registered. A factory that throws gives a problem with its place; its
 * registrations are dropped.
 */
export async function activateHook(options: ActivateOptions): Promise<LoadResult<LoadedHook>> {
  const { file, module, scope, services } = options;
  const text = evidenceOf(module.sources);
  const events = new Set<string>();
  const methods = new Set<string>();
  const judge = () =>
    detectDialect({
      ...{ text, events, methods, group: file.group },
      needs: file.package?.needs,
      setting: options.dialectSetting,
    });
  const first = judge();
  const { path, origin, group } = file;
  const identity = { path, origin, group, scope, map: module, ...defined({ package: file.package }) };
  const hook = new LoadedHook(identity, first, DIALECTS[first.id], { ...featuresIn(text), events, methods });
  const api = createApi({
    hook,
    services,
    used: method => methods.add(method),
    listens: event => events.add(event),
  });
  const hasTools = holdsCustomTools(module.sources[0]?.text ?? '');
  const given = hasTools ? customToolApi(api, hook, services) : api;
  const work = scope.begin('load');
  try {
    const about = { file: path, what: 'its factory', ms: options.timeoutMs };
    const returned = await runLoading(() => module.factory(given), about);
    if (hasTools) registerCustomTools(returned, api);
  } catch (error) {
    const searched = error instanceof BuiltInsReplaced ? contentOf(module) : module.sources;
    return { ok: false, problems: [factoryProblem(error, file, module)], searched };
  } finally {
    work.dispose();
  }
  hook.tag = judge();
  hook.dialect = DIALECTS[hook.tag.id];
  hook.started = true;
  return ok(hook);
}

/** The error text of pi's loader, with the place in the source. */
function factoryProblem(error: unknown, file: HookFile, module: HookModule): Problem {
  const failure = hookError(error, { hookPath: file.path, event: 'load' }, module);
  return {
    message: `Failed to load ${file.group === 'hooks' ? 'hook' : 'extension'}: ${failure.message}`,
    file: failure.file ?? file.path,
    ...defined({ line: failure.line, column: failure.column }),
  };
}
