import { babelFrom } from './babel';
import { compileSource, isTypeScript, type BabelTransform, type CompileRequest, type CompileResult } from './compile';
import { canStripTypes } from './strip-types';

/** Compiles modules, without a cache. What compiles the common language and Babel are loaded when they are needed. */
export class ModuleCompiler {
  private babel: BabelTransform | undefined;

  /** `jitiDir`: the folder with babel.cjs. */
  constructor(private readonly jitiDir: string) {}

  /** Never rejects for a syntax error. */
  async compile(request: CompileRequest): Promise<CompileResult> {
    if (isTypeScript(request.file) && !canStripTypes) return this.compileSync(request);
    const { compileFast } = await import('./fast-compile');
    const module = compileFast(request);
    return module === undefined ? this.compileSync(request) : { ok: true, ...module };
  }

  /** The same for code that cannot wait; slower. */
  compileSync(request: CompileRequest): CompileResult {
    this.babel ??= babelFrom(this.jitiDir);
    return compileSource(this.babel, request);
  }
}
