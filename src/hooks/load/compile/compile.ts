import { asksIn, type Ask } from '../asks';
import { loopGuardPlugin } from './loop-guards';
import { shiftFirstLine } from './source-map';

/** One file to turn into the body of jiti's module function. Travels to the worker as it is. */
export interface CompileRequest {
  /** Absolute path; becomes the source name in the map. */
  readonly file: string;
  readonly source: string;
  /** sha256 of the source. */
  readonly hash: string;
  /** True when the file is reached by `import`; `require` gets code without top-level `await`. */
  readonly async: boolean;
}

/** Where and why a source text cannot be compiled. Travels from the worker as it is. */
export interface SyntaxProblem {
  readonly message: string;
  /** 1-based; absent when Babel gave no place. */
  readonly line?: number;
  /** 1-based. */
  readonly column?: number;
}

/** What a module was compiled to. */
export interface CompiledModule {
  readonly code: string;
  readonly asks: readonly Ask[];
}

export type CompileResult =
  ({ readonly ok: true } & CompiledModule) | { readonly ok: false; readonly problem: SyntaxProblem };

/** jiti's `babel.cjs`: a function that never throws for a syntax error but returns it. */
export type BabelTransform = (options: {
  source: string;
  filename: string;
  ts: boolean;
  async: boolean;
  jsx: boolean;
  interopDefault: boolean;
  babel: {
    sourceFileName: string;
    sourceMaps: 'inline';
    sourceType: SourceType;
    plugins: unknown[];
    parserOpts?: { errorRecovery: boolean };
  };
}) => { readonly code: string; readonly error?: unknown };

type SourceType = 'module' | 'script' | 'unambiguous';

/** The names by which compiled code asks its loader for the wrappers; answered as virtual modules. */
export const ENTER_MODULE = 'hookline:enter';
export const GLOBALS_MODULE = 'hookline:globals';

/** Globals that open or start something, or lead to them; compiled code gets the ones it uses from its load's scope. */
export const OWNED_GLOBALS: readonly string[] = [
  'BroadcastChannel',
  'EventSource',
  'Function',
  'WebSocket',
  'clearImmediate',
  'clearInterval',
  'clearTimeout',
  'fetch',
  'global',
  'globalThis',
  'process',
  'queueMicrotask',
  'setImmediate',
  'setInterval',
  'setTimeout',
];

/** True for files that Babel must strip of types. */
export function isTypeScript(file: string): boolean {
  return /\.[cm]?tsx?$/.test(file);
}

/**
 * Compiles one module: TypeScript to the body of jiti's module function, lines kept, an inline source map whose columns
 * hold in the script V8 sees, a first statement that routes `require`, `import` and the owned globals through the
 * load's scope, and guards against endless loops. The output ends with a newline, so that nothing can land on the map's line.
 */
export function compileSource(babel: BabelTransform, request: CompileRequest): CompileResult {
  const { file, source, async } = request;
  const result = babel({
    source,
    filename: file,
    ts: isTypeScript(file),
    async,
    jsx: false,
    interopDefault: true,
    babel: {
      sourceFileName: file,
      sourceMaps: 'inline',
      sourceType: sourceTypeOf(file),
      plugins: [ownershipPlugin, loopGuardPlugin],
    },
  });
  if (result.error !== undefined) return { ok: false, problem: syntaxProblem(result.error, file) };
  const code = `${shiftFirstLine(result.code.replace(/^#![^\n]*/, ''), wrapperWidth(async))}\n`;
  return { ok: true, code, asks: asksIn(code) };
}

/** CommonJS keeps its sloppy mode; everything that may hold types is a module, as in jiti. */
function sourceTypeOf(file: string): SourceType {
  if (file.endsWith('.cjs')) return 'script';
  return file.endsWith('.js') ? 'unambiguous' : 'module';
}

/** Characters that jiti's module function puts before the code on line 1. */
function wrapperWidth(async: boolean): number {
  return `(${async ? 'async ' : ''}function (exports, require, module, __filename, __dirname, jitiImport, jitiESMResolve) { `
    .length;
}

/** The few members of Babel's plugin interface that are used here. */
interface BabelTypes {
  readonly types: Record<
    | 'identifier'
    | 'stringLiteral'
    | 'callExpression'
    | 'arrayPattern'
    | 'assignmentExpression'
    | 'expressionStatement'
    | 'objectPattern'
    | 'objectProperty'
    | 'variableDeclaration'
    | 'variableDeclarator',
    (...parts: readonly unknown[]) => object
  >;
}
interface ProgramPath {
  readonly scope: {
    hasGlobal(name: string): boolean;
    hasOwnBinding(name: string): boolean;
    rename(name: string): void;
  };
  unshiftContainer(key: 'body', nodes: readonly unknown[]): void;
}

/** What jiti passes to a module to load others with. */
const LOADERS = ['require', 'jitiImport', 'jitiESMResolve'] as const;

/** Babel sorts top-level statements by this at the end; the module transform gives its own at most 3. */
const ABOVE_IMPORTS = 10;

/**
 * Babel plugin: the first statements of each module become
 * `[require, jitiImport, jitiESMResolve] = require("hookline:enter")(require, jitiImport, jitiESMResolve, module)` and a
 * declaration of the owned globals that the file uses without declaring them. Added when the program is left, after the module transform has
 * renamed the file's own variables of these names; as a node, so that directives and the map stay right.
 */
function ownershipPlugin({ types: t }: BabelTypes): unknown {
  const call = (callee: unknown, ...parts: readonly unknown[]): unknown => t.callExpression(callee, parts);
  const id = (name: string): unknown => t.identifier(name);
  const fromLoader = (name: string): unknown => call(id('require'), t.stringLiteral(name));
  let used: readonly string[] = [];
  return {
    visitor: {
      Program: {
        enter(program: ProgramPath): void {
          // `require` is renamed by the module transform; the other names only jiti uses.
          for (const name of LOADERS.slice(1)) if (program.scope.hasOwnBinding(name)) program.scope.rename(name);
          used = OWNED_GLOBALS.filter(name => program.scope.hasGlobal(name));
        },
        exit(program: ProgramPath): void {
          const wrapped = call(fromLoader(ENTER_MODULE), ...[...LOADERS, 'module'].map(id));
          const loaders = t.arrayPattern(LOADERS.map(id));
          const statements = [t.expressionStatement(t.assignmentExpression('=', loaders, wrapped))];
          if (used.length > 0) {
            const names = used.map(name => t.objectProperty(id(name), id(name), false, true));
            const declarator = t.variableDeclarator(t.objectPattern(names), fromLoader(GLOBALS_MODULE));
            statements.push(t.variableDeclaration('let', [declarator]));
          }
          program.unshiftContainer(
            'body',
            statements.map(statement => Object.assign(statement, { _blockHoist: ABOVE_IMPORTS })),
          );
        },
      },
    },
  };
}

/** Babel's message without the path before it, the position after it and the code frame below it. */
export function syntaxProblem(error: unknown, file: string): SyntaxProblem {
  if (!(error instanceof Error)) return { message: String(error) };
  const message = error.message
    .replace(`${file}: `, '')
    .replace(/^\/[^:\n]*: /, '')
    .split('\n', 1)[0]
    ?.replace(/\s*\(\d+:\d+\)\s*$/, '');
  const loc = 'loc' in error ? error.loc : undefined;
  const place =
    typeof loc === 'object' && loc !== null && 'line' in loc && 'column' in loc
      ? { line: Number(loc.line), column: Number(loc.column) + 1 }
      : {};
  return { message: message === undefined || message === '' ? 'Syntax error' : message, ...place };
}
