import { toDisposable, type Disposable } from '../../base/disposable';
import type { HookError } from '../../hook-contract/record';
import { NEEDED_GLOBALS } from '../../hook-load/built-ins';
import type { LoadedHook } from '../../hook-contract/loaded-hook';
import type { HookHostOptions } from './host-options';

interface DeletedGlobalsParts {
  readonly loaded: () => readonly LoadedHook[];
  readonly blackBox: HookHostOptions['blackBox'];
  readonly report: (error: HookError) => void;
}

/** Read before any hook runs, because a hook may also delete it. */
const { defineProperty, getOwnPropertyDescriptor } = Reflect;

/** Restores globals that hooks deleted, and says which hooks did. */
export class DeletedGlobals {
  private readonly originals: { readonly name: string; readonly descriptor: PropertyDescriptor }[] = [];

  constructor(private readonly parts: DeletedGlobalsParts) {}

  /** Notes the globals; to be called before hooks run. Further calls do nothing. */
  remember(): void {
    if (this.originals.length > 0) return;
    for (const name of NEEDED_GLOBALS) {
      const descriptor = getOwnPropertyDescriptor(globalThis, name);
      if (descriptor !== undefined) this.originals.push({ name, descriptor });
    }
  }

  /** Also restores when the process fails, which may be because of a deleted global. */
  restoreAtFailure(): Disposable {
    const restore = (): void => void this.restore();
    process.on('uncaughtExceptionMonitor', restore);
    return toDisposable(() => process.off('uncaughtExceptionMonitor', restore));
  }

  /** See `RunnerServices.restoreGlobals`. */
  restore(): string | undefined {
    const deleted: string[] = [];
    for (const { name, descriptor } of this.originals) {
      if (name in globalThis) continue;
      defineProperty(globalThis, name, descriptor);
      deleted.push(name);
    }
    const reasons = deleted.flatMap(name => this.blame(name));
    return reasons.length === 0 ? undefined : reasons.join('\n');
  }

  /** Reports the hooks that name the global in their code. */
  private blame(name: string): readonly string[] {
    const { loaded, blackBox, report } = this.parts;
    const culprits = loaded().filter(
      ({ identity }) => identity.map.sources?.some(({ text }) => text.includes(name)) === true,
    );
    return culprits.map(({ path }) => {
      blackBox?.suspect(path, name);
      const message = `replaces ${name}, which other hooks and their verdicts rely on. That was undone.`;
      report({ hookPath: path, event: 'built-ins', message });
      return `${path} ${message}`;
    });
  }
}
