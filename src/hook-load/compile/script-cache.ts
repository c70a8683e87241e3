import { setImmediate } from 'node:timers/promises';
import { Script } from 'node:vm';
import type { CompileRequest } from './compile';
import type { CompileCache } from './compile-cache';

/** Length of code, in characters, from which reading its bytecode is faster than parsing it. */
const LEAST = 10_000;

/**
 * Runs compiled modules from the V8 bytecode that an earlier start stored beside their code. For a module that ran
 * without it, {@link keep} stores the bytecode after the module ran, so that it includes the functions that were
 * called.
 */
export class ScriptCache {
  private next: CompileRequest | undefined;
  private readonly fresh: { readonly request: CompileRequest; readonly script: Script }[] = [];

  constructor(private readonly cache: CompileCache) {}

  /** Says that the code that jiti runs next is the code of this module. */
  announce(request: CompileRequest): void {
    this.next = request;
  }

  /** jiti gets this in place of `node:vm`. */
  readonly vm = {
    runInThisContext: (code: string, options: { readonly filename: string }): unknown =>
      this.scriptOf(code, options).runInThisContext(options),
  };

  /** Stores the bytecode of all scripts that ran since the last call, with a pause before each. Never rejects. */
  async keep(): Promise<void> {
    for (const { request, script } of this.fresh.splice(0)) {
      await setImmediate();
      this.cache.writeScript(request, script.createCachedData());
    }
  }

  private scriptOf(code: string, options: { readonly filename: string }): Script {
    const request = this.next;
    this.next = undefined;
    if (request?.file !== options.filename || code.length < LEAST) return new Script(code, options);
    const cachedData = this.cache.readScript(request);
    const script = new Script(code, cachedData === undefined ? options : { ...options, cachedData });
    if (cachedData === undefined || script.cachedDataRejected === true) this.fresh.push({ request, script });
    return script;
  }
}
