import type { Result } from '../../base/result';
import type { HookFile } from './discover';
import type { HookModule } from '../load/hook-module';
import type { HookScope } from '../loaded-hook';

/** What the host needs of the loader; `HookLoader` answers it for `OwnershipScope`s. */
export interface HookModuleLoader<S extends HookScope = HookScope> {
  /** Compiles and evaluates a file and what it imports, all fresh. On failure the scope has been released. */
  load(file: Pick<HookFile, 'path' | 'group' | 'unsupported'>, scope: S): Promise<Result<HookModule>>;
  /** Evaluates the code of an earlier load again. */
  restart(module: HookModule, scope: S): Promise<Result<HookModule>>;
}
