import type ts from 'typescript';
import { detectDialect, evidenceIn, type Evidence } from '../hook-contract/dialects/detect';
import type { DialectId } from '../hook-contract/dialect-id';
import type { HookEntry } from './hook-places';

type Compiler = typeof ts;

/** Facts about a hook file that are not in its text. */
export interface TypedEntry extends HookEntry {
  /** The dialect that a user set for it. */
  readonly setting: string | undefined;
}

interface Seen {
  readonly entry: TypedEntry | undefined;
  /** What has a type from here. */
  readonly parameter: ts.ParameterDeclaration | undefined;
}

type Factory = ts.FunctionDeclaration | ts.FunctionExpression | ts.ArrowFunction;
/** `type` is what the parser sets, and readonly for everybody else. */
type Typed = { -readonly [K in 'type']: ts.ParameterDeclaration[K] };

/**
 * Gives the untyped first parameter of a hook's factory its type. The type is put into the tree that TypeScript works with, not
 * into the text: no position moves, and `event` and `ctx` of handlers get theirs from `pi.on` as in any typed file.
 */
export class ParameterTypes {
  private readonly seen = new WeakMap<ts.SourceFile, Seen>();
  private readonly own = new WeakSet<ts.TypeNode>();

  constructor(private readonly compiler: Compiler) {}

  /**
   * Call this before anything asks about types, with undefined for a file that is not a hook. Does nothing to a file that was
   * seen, and of which nothing has changed since.
   */
  putInto(file: ts.SourceFile, entry: TypedEntry | undefined): void {
    const seen = this.seen.get(file);
    if (seen === undefined ? entry === undefined : sameEntry(seen.entry, entry)) return;
    const parameter = entry === undefined ? undefined : this.factoryOf(file)?.parameters[0];
    // TypeScript takes over parts of the tree of the text before, types from here included.
    const calls = this.readCalls(file, parameter?.name.getText(file));
    const isFree = parameter !== undefined && parameter.type === undefined && !parameter.dotDotDotToken;
    const types = entry !== undefined && isFree && this.compiler.getJSDocType(parameter) === undefined;
    this.seen.set(file, { entry, parameter: types ? parameter : undefined });
    if (!types) return;
    const { id } = detectDialect({ ...entry, text: evidenceIn([file.text]), ...calls });
    (parameter as Typed).type = this.typeFor(id, parameter);
  }

  /** Calls `ask` while the file is as its author wrote it. */
  without<T>(file: ts.SourceFile | undefined, ask: () => T): T {
    const parameter = file === undefined ? undefined : this.seen.get(file)?.parameter;
    if (parameter === undefined) return ask();
    const { type } = parameter;
    (parameter as Typed).type = undefined;
    try {
      return ask();
    } finally {
      (parameter as Typed).type = type;
    }
  }

  /** Takes types from here out of the whole tree, and gives what the file calls of `pi`. */
  private readCalls(file: ts.SourceFile, pi: string | undefined): Pick<Evidence, 'events' | 'methods'> {
    const { compiler, own } = this;
    const events = new Set<string>();
    const methods = new Set<string>();
    const read = (node: ts.Node): void => {
      if (compiler.isParameter(node) && node.type !== undefined && own.has(node.type)) {
        (node as Typed).type = undefined;
      }
      if (compiler.isCallExpression(node) && compiler.isPropertyAccessExpression(node.expression)) {
        const { name, expression } = node.expression;
        const [first] = node.arguments;
        if (compiler.isIdentifier(expression) && expression.text === pi) methods.add(name.text);
        if (name.text === 'on' && first !== undefined && compiler.isStringLiteralLike(first)) events.add(first.text);
      }
      compiler.forEachChild(node, read);
    };
    read(file);
    return { events, methods };
  }

  private factoryOf(file: ts.SourceFile): Factory | undefined {
    for (const statement of file.statements) {
      const exported = this.defaultExportIn(statement);
      const factory = exported === undefined ? undefined : this.functionFor(exported, file);
      if (factory !== undefined) return factory;
    }
    return undefined;
  }

  /** What `export default …`, `module.exports = …` or `export { x as default }` exports. */
  private defaultExportIn(statement: ts.Statement): ts.Node | undefined {
    const { compiler } = this;
    if (compiler.isExportAssignment(statement)) return statement.expression;
    if (compiler.isFunctionDeclaration(statement)) {
      const kinds = new Set(statement.modifiers?.map(({ kind }) => kind));
      return kinds.has(compiler.SyntaxKind.DefaultKeyword) ? statement : undefined;
    }
    if (compiler.isExpressionStatement(statement) && compiler.isBinaryExpression(statement.expression)) {
      const { left, right } = statement.expression;
      return left.getText() === 'module.exports' ? right : undefined;
    }
    if (!compiler.isExportDeclaration(statement) || statement.moduleSpecifier !== undefined) return undefined;
    const { exportClause } = statement;
    if (exportClause === undefined || !compiler.isNamedExports(exportClause)) return undefined;
    const named = exportClause.elements.find(({ name }) => name.text === 'default');
    return named === undefined ? undefined : (named.propertyName ?? named.name);
  }

  private functionFor(node: ts.Node, file: ts.SourceFile): Factory | undefined {
    const { compiler } = this;
    if (compiler.isParenthesizedExpression(node)) return this.functionFor(node.expression, file);
    if (compiler.isArrowFunction(node) || compiler.isFunctionExpression(node)) return node;
    if (compiler.isFunctionDeclaration(node)) return node;
    return compiler.isIdentifier(node) ? this.functionNamed(node.text, file) : undefined;
  }

  private functionNamed(name: string, file: ts.SourceFile): Factory | undefined {
    const { compiler } = this;
    for (const statement of file.statements) {
      if (compiler.isFunctionDeclaration(statement) && statement.name?.text === name) return statement;
      if (!compiler.isVariableStatement(statement)) continue;
      const variable = statement.declarationList.declarations.find(
        each => compiler.isIdentifier(each.name) && each.name.text === name,
      );
      const value = variable?.type === undefined ? variable?.initializer : undefined;
      if (value !== undefined && !compiler.isIdentifier(value)) return this.functionFor(value, file);
    }
    return undefined;
  }

  /** `import("hookline:hooks").<dialect>`, which scripts/build/typings.ts declares, without a place in the text. */
  private typeFor(dialect: DialectId, parameter: ts.ParameterDeclaration): ts.TypeNode {
    const { factory, setTextRange } = this.compiler;
    const module = factory.createLiteralTypeNode(factory.createStringLiteral('hookline:hooks'));
    const type = factory.createImportTypeNode(module, undefined, factory.createIdentifier(dialect));
    const adopt = (node: ts.Node, parent: ts.Node): void => {
      (node as { parent: ts.Node }).parent = parent;
      this.compiler.forEachChild(node, child => adopt(child, node));
    };
    adopt(type, parameter);
    // Between the name and the next token, so that a search for the node at a position finds the other nodes.
    const { end } = parameter.name;
    this.own.add(setTextRange(type, { pos: end, end }));
    return type;
  }
}

function sameEntry(one: TypedEntry | undefined, other: TypedEntry | undefined): boolean {
  return one?.group === other?.group && one?.setting === other?.setting;
}
