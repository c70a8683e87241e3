import { defined } from '../../base/defined';
import { membersOf } from '../../base/json/is-record';
import type { HookFunction, LoadedHook, Registration } from '../../hook-contract/loaded-hook';

/**
 * Registers what a hook calls by a name: commands, shortcuts and flags. A call without a name, and a command without a
 * handler, are problems of the hook with file and line; the rest of the file runs.
 */
export class NamedRegistrations {
  constructor(
    private readonly hook: LoadedHook,
    private readonly here: () => Registration,
  ) {}

  /** Notes what is wrong with a call as a problem of the hook, with the place of the call. */
  complain(message: string, { file = this.hook.path, line }: Registration): void {
    this.hook.problems.push({ message, file, ...defined({ line }) });
    this.hook.changed();
  }

  /** The name that was given to a method; undefined if it is missing, which is then a problem of the hook. */
  nameIn(method: string, given: unknown, what: 'name' | 'key' | 'type' = 'name'): string | undefined {
    if (typeof given === 'string' && given !== '') return given;
    this.complain(`${method} was called without a ${what}. The call has no effect.`, this.here());
    return undefined;
  }

  command(form: 'command' | 'registerCommand', given: unknown, options: unknown): void {
    const { hook } = this;
    const name = this.nameIn(form, given);
    if (name === undefined) return;
    const { description, handler, getArgumentCompletions } = membersOf(options);
    const at = this.here();
    const hasHandler = typeof handler === 'function';
    if (!hasHandler) this.complain(`Command "/${name}" has no handler. It fails when it is run.`, at);
    const fails = (): never => {
      throw new TypeError(`${form}("${name}") needs a handler`);
    };
    hook.commands.set(name, {
      name,
      description: textIn(description),
      run: hasHandler ? (handler as HookFunction) : fails,
      completions: typeof getArgumentCompletions === 'function' ? (getArgumentCompletions as HookFunction) : undefined,
      form,
      at,
    });
    hook.changed();
  }

  /** @throws TypeError without a handler */
  shortcut(given: unknown, options: unknown): void {
    const key = this.nameIn('registerShortcut', given, 'key');
    if (key === undefined) return;
    const { description, handler } = membersOf(options);
    if (typeof handler !== 'function') throw new TypeError(`registerShortcut("${key}") needs a handler`);
    this.hook.shortcuts.set(key, { key, description: textIn(description), run: handler as HookFunction });
    this.hook.changed();
  }

  /** @throws TypeError for a default of another type, in dialects that check it */
  flag(given: unknown, options: unknown): void {
    const { hook } = this;
    const name = this.nameIn('registerFlag', given);
    if (name === undefined) return;
    const { description, type, default: fallback } = membersOf(options);
    if (fallback !== undefined && hook.dialect.strictFlags && typeof fallback !== type) {
      throw new TypeError(`registerFlag("${name}"): the default must be a ${String(type)}`);
    }
    hook.flags.set(name, {
      name,
      description: textIn(description),
      type: type === 'string' ? 'string' : 'boolean',
      default: typeof fallback === 'string' || typeof fallback === 'boolean' ? fallback : undefined,
    });
    hook.changed();
  }
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
