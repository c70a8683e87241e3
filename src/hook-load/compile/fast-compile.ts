import {
  Parser,
  type AnyNode,
  type CallExpression,
  type Class,
  type Comment,
  type ImportExpression,
  type Program,
} from 'acorn';
import { analyze } from 'eslint-scope';
import MagicString from 'magic-string';
import type { ModuleRequest } from './module-requests';
import {
  ENTER_MODULE,
  GLOBALS_MODULE,
  isTypeScript,
  OWNED_GLOBALS,
  wrapperOf,
  type CompiledModule,
  type CompileRequest,
} from './compile';
import { EsModule, INTEROP, LeftToBabel, OWN_NAME } from './es-module';
import { GuardWriter } from './guard-writer';
import { META, META_VALUE } from './import-meta';
import { INTEROP_MODULE } from './interop';
import { GUARD, GUARD_MODULE } from './loop-guards';
import { OneByte } from './one-byte';
import { ParameterProperties } from './parameter-properties';
import { stripTypes } from './strip-types';

/** Names that compiled code uses; a file that contains one is left to Babel. */
const RESERVED = [OWN_NAME, 'jitiImport', 'jitiESMResolve'];

/** A parser that accepts exports of unknown names, since they may be types. */
const ModuleParser = Parser.extend(
  Base =>
    class extends Base {
      checkLocalExport(): void {
        // What an export means is decided later.
      }
    },
);

/**
 * Compiles a module like `compileSource` in compile.ts, with the same result, in a fraction of the time. It knows the
 * common language: types that can be erased, parameters that are properties, and modules whose exports do not change after their declaration. Undefined
 * for all else and for files with errors: Babel compiles those, and reports errors with their positions.
 */
export function compileFast(request: CompileRequest): CompiledModule | undefined {
  const { file, source } = request;
  if (!/\.(ts|mts|js|mjs)$/.test(file) || RESERVED.some(name => source.includes(name))) return undefined;
  const properties = isTypeScript(file) ? new ParameterProperties(source) : undefined;
  const text = properties === undefined ? source : stripTypes(properties.text);
  if (text === undefined) return undefined;
  try {
    return new FastModule(request, text, properties).compile();
  } catch {
    return undefined; // The file has an error, or is left to Babel on purpose, or is too deeply nested.
  }
}

class FastModule {
  private readonly program: Program;
  private readonly text: MagicString;
  private readonly module: EsModule;
  private readonly guards: GuardWriter;
  private readonly oneByte: OneByte;
  private readonly comments: Comment[] = [];
  private readonly globals: ReadonlySet<string>;
  /** Where a statement starts that follows another one, which may lack its semicolon. */
  private readonly statements = new Set<number>();
  /** Where the value of a property like `{ name }` starts. */
  private readonly shorthands = new Set<number>();
  /** Whether the name `require` stands for one that Node made, everywhere in the module. */
  private readonly hasNodesRequire: boolean;
  /** The modules that the code asks for, apart from its import statements. */
  private readonly requests: ModuleRequest[] = [];
  private usesInterop = false;
  private usesMeta = false;

  constructor(
    private readonly request: CompileRequest,
    text: string,
    private readonly properties: ParameterProperties | undefined,
  ) {
    const { file, source, async } = request;
    this.program = ModuleParser.parse(text, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      ranges: true,
      onComment: this.comments,
    });
    const scopes = analyze(this.program as never, { ecmaVersion: 2025, sourceType: 'module' });
    this.text = new MagicString(text);
    this.guards = new GuardWriter(this.text);
    this.oneByte = new OneByte(this.text);
    const parts = { program: this.program, scopes, text: this.text, source, async };
    this.module = new EsModule({ ...parts, isTypeScript: isTypeScript(file) });
    this.hasNodesRequire = this.program.body.some(isNodesRequire);
    this.globals = new Set(scopes.globalScope?.through.map(({ identifier }) => identifier.name));
  }

  compile(): CompiledModule {
    const { request, text, module } = this;
    const hashbang = /^#![^\n]*/.exec(request.source)?.[0] ?? '';
    if (hashbang !== '') text.update(0, hashbang.length, ' ');
    this.oneByte.writeComments(this.comments);
    const imports = module.rewrite();
    this.visit(this.program, undefined);
    this.properties?.checkWritten();
    module.writeAssignments();
    text.prepend(this.head() + imports);
    const code = text.toString();
    text.prepend(wrapperOf(request.async));
    const map = text.generateMap({ source: request.file, hires: 'boundary' });
    map.sourcesContent = [request.source]; // With its types, which the text lacks.
    return {
      code: `${code}\n//# sourceMappingURL=${map.toUrl()}\n`,
      requests: [...module.specifiers.map(specifier => ({ async: request.async, specifier })), ...this.requests],
    };
  }

  private head(): string {
    const used = OWNED_GLOBALS.filter(name => this.globals.has(name));
    const loaders = 'require, jitiImport, jitiESMResolve';
    return [
      `"use strict";[${loaders}] = require("${ENTER_MODULE}")(${loaders}, module);`,
      used.length > 0 ? `let { ${used.join(', ')} } = require("${GLOBALS_MODULE}");` : '',
      this.guards.hasGuards ? `var ${GUARD} = require("${GUARD_MODULE}");` : '',
      this.usesMeta ? `var ${META} = ${META_VALUE};` : '',
      this.usesInterop || this.module.usesInterop ? `var ${INTEROP} = require("${INTEROP_MODULE}");` : '',
    ].join('');
  }

  private visit(node: AnyNode, parent: AnyNode | undefined): void {
    this.enter(node, parent);
    for (const key in node) {
      if (key === 'specifiers') continue; // Of imports and exports, which are already written.
      if (key === 'key' && node.type === 'Property' && node.shorthand) continue; // Its value stands for both.
      const child = node[key as keyof AnyNode] as unknown;
      if (Array.isArray(child)) this.visitEach(child, node);
      else if (isNode(child)) this.visit(child, node);
    }
    this.guards.leave(node, parent);
    if (isClass(node)) this.properties?.write(this.text, node);
  }

  private visitEach(children: readonly unknown[], parent: AnyNode): void {
    for (const child of children) if (isNode(child)) this.visit(child, parent);
  }

  private enter(node: AnyNode, parent: AnyNode | undefined): void {
    this.guards.enter(node, parent);
    this.oneByte.enter(node, parent);
    if (node.type === 'Identifier') this.replaceName(node.name, node, parent);
    else if (node.type === 'Property' && node.shorthand) this.shorthands.add(node.value.start);
    else if (node.type === 'ImportExpression') this.writeImport(node);
    else if (node.type === 'CallExpression') this.noteRequire(node);
    else if (node.type === 'MetaProperty' && node.meta.name === 'import') this.writeMeta(node);
    else if (node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await)) this.checkAwait();
    this.noteStatements(node);
  }

  private noteStatements(node: AnyNode): void {
    for (const { type, start } of statementsIn(node)) {
      if (type === 'ExpressionStatement') this.statements.add(start);
    }
  }

  /** A module that is required cannot wait at its top level. */
  private checkAwait(): void {
    if (!this.request.async && !this.guards.isInFunction) throw new LeftToBabel();
  }

  private replaceName(name: string, { start, end }: AnyNode, parent: AnyNode | undefined): void {
    const expression = this.module.replaced.get(start);
    if (expression === undefined) return;
    const isCalled =
      (parent?.type === 'CallExpression' && parent.callee.start === start) ||
      (parent?.type === 'TaggedTemplateExpression' && parent.tag.start === start);
    let value = expression;
    if (isCalled && this.module.imports.has(start)) value = `(0, ${expression})`;
    if (value !== expression && this.statements.has(start)) value = `;${value}`;
    this.text.update(start, end, this.shorthands.has(start) ? `${name}: ${value}` : value);
  }

  /**
   * Notes what a call of a function asks for that is named like `require` or `lazyRequire`. A computed name counts only for
   * the module's own `require`, which can load anything.
   */
  private noteRequire({ callee, arguments: [first] }: CallExpression): void {
    const name = nameOfCallee(callee);
    if (first === undefined || !/require\d*$/i.test(name ?? '')) return;
    const specifier = textOf(first);
    const byNode = this.hasNodesRequire ? ({ byNode: true } as const) : {};
    if (specifier !== undefined) this.requests.push({ async: false, specifier, ...byNode });
    else if (name === 'require' && !this.module.replaced.has(callee.start)) this.requests.push({ async: false });
  }

  /** A name that is no literal is converted to a string here, as `import()` does. */
  private writeImport({ start, end, source }: ImportExpression): void {
    const isLiteral = source.type === 'Literal' && typeof source.value === 'string';
    if (isLiteral) this.requests.push({ async: true, specifier: String(source.value) });
    this.usesInterop = true;
    this.text.update(start, source.start, `${INTEROP}.later(jitiImport(${isLiteral ? '' : '`${'}`);
    this.text.update(source.end, end, `${isLiteral ? '' : '}`'}))`);
  }

  private writeMeta({ start, end }: AnyNode): void {
    this.usesMeta = true;
    this.text.update(start, end, META);
  }
}

function isClass(node: AnyNode): node is Extract<AnyNode, Class> {
  return node.type === 'ClassDeclaration' || node.type === 'ClassExpression';
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** True for `const require = createRequire(…)`. */
function isNodesRequire(node: AnyNode): boolean {
  return (
    node.type === 'VariableDeclaration' &&
    node.kind === 'const' &&
    node.declarations.some(
      ({ id, init }) =>
        id.type === 'Identifier' &&
        id.name === 'require' &&
        init?.type === 'CallExpression' &&
        nameOfCallee(init.callee) === 'createRequire',
    )
  );
}

/** The statements of a list of statements. */
function statementsIn(node: AnyNode): readonly AnyNode[] {
  if (node.type === 'SwitchCase') return node.consequent;
  return node.type === 'Program' || node.type === 'BlockStatement' || node.type === 'StaticBlock' ? node.body : [];
}

function nameOfCallee(callee: CallExpression['callee']): string | undefined {
  if (callee.type === 'Identifier') return callee.name;
  return callee.type === 'MemberExpression' && callee.property.type === 'Identifier' ? callee.property.name : undefined;
}

/** The value of a literal text; undefined for any other expression. */
function textOf(node: AnyNode): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  return node.type === 'TemplateLiteral' && node.expressions.length === 0
    ? (node.quasis[0]?.value.cooked ?? undefined)
    : undefined;
}
