import { toDisposable, type Disposable } from '../../base/disposable';
import { JavaScriptBuiltIns, culpritsOf, patchText } from '../dispatch/javascript-built-ins';
import type { HookError } from '../dispatch/record';
import type { LoadedHook } from '../loaded-hook';
import type { HookHostOptions } from './host-options';

interface ReplacedBuiltInsParts {
  readonly loaded: () => readonly LoadedHook[];
  readonly blackBox: HookHostOptions['blackBox'];
  readonly report: (error: HookError) => void;
}

/** Undoes what hooks replaced of the functions of the language, and says which hooks did. */
export class ReplacedBuiltIns {
  /** The functions of the language, once {@link JavaScriptBuiltIns.remember} was called. */
  readonly builtIns = new JavaScriptBuiltIns();

  constructor(private readonly parts: ReplacedBuiltInsParts) {}

  /** Also undoes when the process fails, which may be because of a replaced function, before any gate is asked. */
  undoAtFailure(): Disposable {
    const undo = (): void => void this.undo();
    process.on('uncaughtExceptionMonitor', undo);
    return toDisposable(() => process.off('uncaughtExceptionMonitor', undo));
  }

  /** See `RunnerServices.undoPatches`. Replacements by other code, such as another extension, stay. */
  undo(): string | undefined {
    const { loaded, blackBox, report } = this.parts;
    const reasons: string[] = [];
    for (const replaced of this.builtIns.undo()) {
      const culprits = culpritsOf(replaced, loaded(), hook => hook.identity.map);
      if (culprits.length === 0) replaced.accept();
      for (const { path } of culprits) {
        blackBox?.suspect(path, replaced.name);
        const message = patchText([replaced.name], replaced.isUndone);
        report({ hookPath: path, event: 'built-ins', message });
        reasons.push(`${path} ${message}`);
      }
    }
    return reasons.length === 0 ? undefined : reasons.join('\n');
  }
}
