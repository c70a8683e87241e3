import { moduleRequestsIn, type ModuleRequest } from './module-requests';
import { importMetaPlugin } from './import-meta';
import { loopGuardPlugin } from './loop-guards';
import { shiftFirstLine } from './source-map';

/** One file to turn into the body of jiti's module function. It is posted to the worker unchanged. */
export interface CompileRequest {
  /** Absolute path; becomes the source name in the map. */
  readonly file: string;
  /** The text; whoever finds the compiled code does not ask for it, so it may be made when it is asked for. */
  readonly source: string;
  /** sha256 of the source. */
  readonly hash: string;
  /** True when the file is imported with `import`; code for `require` cannot contain a top-level `await`. */
  readonly async: boolean;
}

/** Where and why a source text cannot be compiled. It is posted from the worker unchanged. */
export interface SyntaxProblem {
  readonly message: string;
  /** 1-based; absent when Babel gave no position. */
  readonly line?: number;
  /** 1-based. */
  readonly column?: number;
}

/** The result of compiling a module. */
export interface CompiledModule {
  readonly code: string;
  readonly requests: readonly ModuleRequest[];
}

export type CompileResult =
  ({ readonly ok: true } & CompiledModule) | { readonly ok: false; readonly problem: SyntaxProblem };

/** jiti's `babel.cjs`: a function that returns a syntax error instead of throwing it. */
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

/** Names that compiled code passes to `require` to get the wrapped loaders and the owned globals. */
export const ENTER_MODULE = 'hookline:enter';
export const GLOBALS_MODULE = 'hookline:globals';

/**
 * Globals that open or start something or give access to such globals. Compiled code gets them from its load's scope.
 */
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
 * Compiles one module to the body of jiti's module function. The code keeps its line numbers. It gets an inline source
 * map whose columns are right for the script that V8 runs, first statements that route `require`, `import` and the
 * owned globals through the load's scope, and guards against endless loops. The output ends with a newline, so that
 * nothing can be appended to the line of the map.
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
      plugins: [ownershipPlugin, loopGuardPlugin, importMetaPlugin],
    },
  });
  if (result.error !== undefined) return { ok: false, problem: syntaxProblem(result.error, file) };
  const code = `${shiftFirstLine(result.code.replace(/^#![^\n]*/, ''), wrapperOf(async).length)}\n`;
  return { ok: true, code, requests: moduleRequestsIn(code) };
}

/** A `.cjs` file stays a script in sloppy mode; files that may contain types are modules, as in jiti. */
function sourceTypeOf(file: string): SourceType {
  if (file.endsWith('.cjs')) return 'script';
  return file.endsWith('.js') ? 'unambiguous' : 'module';
}

/** What jiti puts before the code on line 1. */
export function wrapperOf(async: boolean): string {
  return `(${async ? 'async ' : ''}function (exports, require, module, __filename, __dirname, jitiImport, jitiESMResolve) { `;
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

/** The parameters of jiti's module function that load or resolve other modules. */
const LOADERS = ['require', 'jitiImport', 'jitiESMResolve'] as const;

/** Babel sorts top-level statements by this number, the highest first; the module transform gives its own at most 3. */
const ABOVE_IMPORTS = 10;

/**
 * Babel plugin: the first statements of each module become
 * `[require, jitiImport, jitiESMResolve] = require("hookline:enter")(require, jitiImport, jitiESMResolve, module)` and
 * a declaration of the owned globals that the file uses without declaring them. The statements are added at the exit of
 * the program, after the module transform has renamed the file's own variables of these names. They are added as nodes
 * and not as text, so that directives and the source map stay right.
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
          // A variable `require` of the file is renamed by the module transform, which does not know jiti's other
          // names.
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

/** Babel's error as a problem: its message without the path, the position and the code frame. */
export function syntaxProblem(error: unknown, file: string): SyntaxProblem {
  if (!(error instanceof Error)) return { message: String(error) };
  const message = error.message
    .replace(`${file}: `, '')
    // Babel may also put the path of a root there, which is a drive or a share on Windows.
    .replace(/^(?:\/|\\\\|[a-z]:\\)[^:\n]*: /i, '')
    .split('\n', 1)[0]
    ?.replace(/\s*\(\d+:\d+\)\s*$/, '');
  const loc = 'loc' in error ? error.loc : undefined;
  const place =
    typeof loc === 'object' && loc !== null && 'line' in loc && 'column' in loc
      ? { line: Number(loc.line), column: Number(loc.column) + 1 }
      : {};
  return { message: message === undefined || message === '' ? 'Syntax error' : message, ...place };
}
