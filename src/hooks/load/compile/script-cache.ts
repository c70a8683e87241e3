import { setImmediate } from 'node:timers/promises';
import { Script } from 'node:vm';
import type { CompileRequest } from './compile';
import type { CompileCache } from './compile-cache';

/** Characters from which on reading what V8 made of a module costs less than parsing it. */
const LEAST = 10_000;

/**
 * Runs compiled modules from what V8 made of them at an earlier start, where that is kept beside their code. What ran
 * without it is kept once, after it ran, so that the functions that were called are part of it.
 */
export class ScriptCache {
  private next: CompileRequest | undefined;
  private readonly fresh: { readonly request: CompileRequest; readonly script: Script }[] = [];

  constructor(private readonly cache: CompileCache) {}

  /** The code that jiti runs next is that of this module. */
  announce(request: CompileRequest): void {
    this.next = request;
  }

  /** What jiti runs code with in place of `node:vm`. */
  readonly vm = {
    runInThisContext: (code: string, options: { readonly filename: string }): unknown =>
      this.scriptOf(code, options).runInThisContext(options),
  };

  /** Keeps what V8 made of scripts that ran since the last call, one after the other with pauses for others. Never rejects. */
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
