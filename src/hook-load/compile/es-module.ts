import type {
  ExportAllDeclaration,
  ExportDefaultDeclaration,
  ExportNamedDeclaration,
  Identifier,
  ImportDeclaration,
  Literal,
  Program,
} from 'acorn';
import type { Definition, Scope, ScopeManager, Variable } from 'eslint-scope';
import type MagicString from 'magic-string';
import type { interop } from './interop';

/** Thrown for code that is left to Babel. */
export class LeftToBabel extends Error {}

/** A part of each name that this compiler adds to a module. */
export const OWN_NAME = '$hookline';

/** The variable of a compiled module that holds the helpers for modules that may be CommonJS. */
export const INTEROP = `interop${OWN_NAME}`;

/** A name for a default export that has none. */
const DEFAULT_NAME = '_default';

/** Parameters of jiti's module function. A module may declare variables with these names, which then get another name. */
const PARAMETERS = ['require', 'exports', 'module', '__filename', '__dirname'];

export interface EsModuleSource {
  /** Parsed from `source` without its types. */
  readonly program: Program;
  readonly scopes: ScopeManager;
  /** The text of the program; the rewritten module is written to it. */
  readonly text: MagicString;
  /** The text as it was written, with its types at the same positions. */
  readonly source: string;
  readonly isTypeScript: boolean;
  /** Whether modules are loaded with `import`; otherwise with `require`. */
  readonly async: boolean;
}

/** Another module, and what is imported from it. */
interface Imported {
  /** The variable with its exports. */
  readonly name: string;
  readonly load: string;
  /** The statement that mentions it first. */
  readonly statement: FromStatement;
  default: boolean;
  named: boolean;
  namespace: boolean;
  /** Whether all of its exports are exported. */
  all: boolean;
  /** Statements that follow its import: they give its namespace to a variable or an export. */
  readonly after: string[];
}

type FromStatement = ImportDeclaration | ExportAllDeclaration | (ExportNamedDeclaration & { readonly source: Literal });
type ExportStatement = ExportNamedDeclaration | ExportDefaultDeclaration;

/**
 * Rewrites the `import` and `export` statements of one module to calls of jiti's loaders and assignments to `exports`,
 * with the results of Babel's module transform. An exported variable that changes later is left to Babel.
 */
export class EsModule {
  /** Start of an identifier -> the expression that replaces it. */
  readonly replaced = new Map<number, string>();
  /** Starts of the identifiers that mean an import. A call of one must not pass its module as `this`. */
  readonly imports = new Set<number>();
  /** Whether the rewritten code uses {@link INTEROP}. */
  usesInterop = false;

  private readonly scope: Scope;
  private readonly modules = new Map<string, Imported>();
  /** Variable -> the expression that stands for it. */
  private readonly expressions = new Map<Variable, string>();
  /** All that the module exports by name. */
  private readonly exported: string[] = [];
  /** Statements that run before the imports. */
  private readonly hoisted: string[] = [];
  private readonly undefinedFirst: string[] = [];
  /** Assignments to `exports`, and the ends of the declarations that they follow. */
  private readonly assignments: { readonly end: number; readonly text: string }[] = [];

  constructor(private readonly module: EsModuleSource) {
    const [scope] = module.scopes.globalScope?.childScopes ?? [];
    if (scope === undefined) throw new LeftToBabel();
    this.scope = scope;
  }

  /** The modules that it imports. */
  get specifiers(): readonly string[] {
    return [...this.modules.keys()];
  }

  /** Writes the module, and returns the statements that go before it. */
  rewrite(): string {
    const { program, isTypeScript } = this.module;
    this.renameParameters();
    const from = program.body.filter(isFrom);
    const exports = program.body.filter(isExport);
    if (from.length + exports.length === 0 && !isTypeScript) throw new LeftToBabel(); // It may be a script.
    for (const statement of from) this.readFrom(statement);
    for (const statement of exports) this.writeExport(statement);
    const late = this.writeImports(from);
    const isEsModule = this.exported.length > 0 || from.some(({ type }) => type !== 'ImportDeclaration');
    return [
      isEsModule || exports.length > 0 ? 'Object.defineProperty(exports, "__esModule", { value: true });' : '',
      this.undefinedFirst.length > 0 ? `${this.undefinedFirst.map(name => `exports.${name} = `).join('')}void 0;` : '',
      ...this.hoisted,
      late,
    ].join('');
  }

  /** Writes what follows a declaration: after all else that ends where the declaration ends, if it has no semicolon. */
  writeAssignments(): void {
    for (const { end, text } of this.assignments) this.module.text.appendLeft(end, text);
  }

  private renameParameters(): void {
    for (const name of PARAMETERS) {
      const variable = this.scope.set.get(name);
      if (variable === undefined || variable.defs.length === 0) continue;
      if (variable.defs.some(({ type }) => type !== 'ImportBinding')) this.replace(variable, ownNameFor(name));
    }
  }

  private readFrom(statement: FromStatement): void {
    if (this.hadOnlyTypes(statement)) return;
    if (statement.type === 'ImportDeclaration') {
      this.readImport(statement);
      return;
    }
    const from = this.importedBy(statement);
    if (statement.type === 'ExportNamedDeclaration') {
      for (const { local, exported } of statement.specifiers) this.reexport(from, nameIn(local), nameIn(exported));
    } else if (statement.exported == null) {
      from.all = true;
    } else {
      const name = this.exportLater(nameIn(statement.exported));
      from.namespace = true;
      from.after.push(`exports.${name} = ${from.name};`);
    }
  }

  /** Imports of TypeScript that nothing uses were types, and so nothing is loaded for them. */
  private readImport(statement: ImportDeclaration): void {
    const { scopes, isTypeScript } = this.module;
    const specifiers = statement.specifiers.map(specifier => {
      const [variable] = scopes.getDeclaredVariables(specifier as never);
      if (variable === undefined || variable.references.some(use => use.isWrite())) throw new LeftToBabel();
      return { specifier, variable };
    });
    const used = specifiers.filter(({ variable }) => !isTypeScript || variable.references.length > 0);
    if (used.length === 0 && specifiers.length > 0) return;
    const from = this.importedBy(statement);
    for (const { specifier, variable } of used) {
      if (specifier.type === 'ImportNamespaceSpecifier') this.importNamespace(from, variable);
      else {
        this.importName(from, variable, specifier.type === 'ImportSpecifier' ? nameIn(specifier.imported) : 'default');
      }
    }
  }

  private importName(from: Imported, variable: Variable, name: string): void {
    from[name === 'default' ? 'default' : 'named'] = true;
    this.replace(variable, `${from.name}.${name}`);
    for (const { identifier } of variable.references) this.imports.add(startOf(identifier));
  }

  private importNamespace(from: Imported, variable: Variable): void {
    from.namespace = true;
    if (PARAMETERS.includes(variable.name)) this.replace(variable, ownNameFor(variable.name));
    from.after.push(`var ${this.expressionOf(variable)} = ${from.name};`);
  }

  private importedBy(statement: FromStatement): Imported {
    const specifier = String(statement.source.value);
    const known = this.modules.get(specifier);
    if (known !== undefined) return known;
    const named = JSON.stringify(specifier);
    const imported = {
      name: `import${this.modules.size + 1}${OWN_NAME}`,
      load: this.module.async ? `await jitiImport(${named})` : `require(${named})`,
      statement,
      ...{ default: false, named: false, namespace: false, all: false },
      after: [],
    };
    this.modules.set(specifier, imported);
    return imported;
  }

  private reexport(from: Imported, name: string, as: string): void {
    from[name === 'default' ? 'default' : 'named'] = true;
    this.exportGetter(as, `${from.name}.${name}`);
  }

  /** Whether all that stood between the braces of a statement were types. */
  private hadOnlyTypes(statement: FromStatement): boolean {
    if (statement.type === 'ExportAllDeclaration' || statement.specifiers.length > 0) return false;
    return /\{[^}]*\w[^}]*\}/.test(this.module.source.slice(statement.start, statement.source.start));
  }

  private writeExport(statement: ExportStatement): void {
    const { text } = this.module;
    if (statement.type === 'ExportDefaultDeclaration') {
      this.writeDefault(statement);
    } else if (statement.declaration == null) {
      for (const { local, exported } of statement.specifiers) this.exportLocal(nameIn(local), nameIn(exported));
      this.blank(statement.start, statement.end, ';');
    } else {
      const { declaration } = statement;
      for (const variable of this.declaredBy(declaration)) this.exportVariable(variable, variable.name);
      text.update(statement.start, declaration.start, this.linesIn(statement.start, declaration.start));
    }
  }

  private writeDefault(statement: ExportDefaultDeclaration): void {
    const { text, source } = this.module;
    const { declaration } = statement;
    const before = /^export\s+default\s*/.exec(source.slice(statement.start, declaration.start))?.[0];
    if (before === undefined) throw new LeftToBabel();
    const start = statement.start + before.length;
    const isFunction = declaration.type === 'FunctionDeclaration';
    if (!isFunction && declaration.type !== 'ClassDeclaration') {
      this.exportLater('default');
      this.blank(statement.start, start, 'exports.default = ');
      return;
    }
    this.blank(statement.start, start, '');
    const [variable] = this.declaredBy(declaration);
    if (variable !== undefined) {
      this.exportVariable(variable, 'default');
      return;
    }
    const keyword = /^(?:async\s+)?function\s*\*?|^class\b/.exec(source.slice(declaration.start))?.[0];
    if (keyword === undefined || source.includes(DEFAULT_NAME)) throw new LeftToBabel();
    text.appendLeft(declaration.start + keyword.length, ` ${DEFAULT_NAME}`);
    if (isFunction) this.exportFirst('default', DEFAULT_NAME);
    else this.assignAt(declaration.end, 'default', DEFAULT_NAME);
  }

  private exportLocal(name: string, as: string): void {
    const variable = this.scope.set.get(name);
    if (variable !== undefined) this.exportVariable(variable, as);
    else if (!this.module.isTypeScript) throw new LeftToBabel();
    // In TypeScript, it was a type.
  }

  private exportVariable(variable: Variable, as: string): void {
    const [definition, ...more] = variable.defs;
    if (definition === undefined || more.length > 0) throw new LeftToBabel();
    if (variable.references.some(use => use.isWrite() && use.init !== true)) throw new LeftToBabel();
    const expression = this.expressionOf(variable);
    const { type } = definition;
    if (type === 'FunctionName') this.exportFirst(as, expression);
    else if (type === 'ImportBinding' && this.expressions.has(variable)) this.exportGetter(as, expression);
    else this.assignAt(this.endOf(definition), as, expression);
  }

  /** Where the value of a variable is known: the end of the top-level statement that declares it. */
  private endOf(definition: Definition): number {
    const [from, to] = rangeOf(definition.node);
    const statement = this.module.program.body.find(({ start, end }) => start <= from && to <= end);
    const declaration = statement?.type === 'ExportNamedDeclaration' ? (statement.declaration ?? undefined) : statement;
    if (declaration?.type === 'ExportDefaultDeclaration') return declaration.declaration.end;
    // Otherwise, `var` declares it inside of another statement.
    if (declaration === undefined || !DECLARES.has(declaration.type)) throw new LeftToBabel();
    return declaration.end;
  }

  private exportFirst(name: string, expression: string): void {
    this.exported.push(name);
    this.hoisted.push(`exports.${name} = ${expression};`);
  }

  private exportGetter(name: string, expression: string): void {
    this.exported.push(name);
    const getter = `{ enumerable: true, get: function () { return ${expression}; } }`;
    this.hoisted.push(`Object.defineProperty(exports, "${name}", ${getter});`);
  }

  private assignAt(end: number, name: string, expression: string): void {
    this.assignments.push({ end, text: `;exports.${this.exportLater(name)} = ${expression};` });
  }

  private exportLater(name: string): string {
    this.exported.push(name);
    this.undefinedFirst.push(name);
    return name;
  }

  /**
   * Writes the loads of the modules in place of the statements at the start of the module that mention them, and returns
   * the loads of those that are mentioned only later, if no statement precedes them.
   */
  private writeImports(statements: readonly FromStatement[]): string {
    const { program } = this.module;
    const firstOther = program.body.find(statement => !isFrom(statement))?.start ?? Infinity;
    const loads = new Map<FromStatement, string>(statements.map(statement => [statement, '']));
    const lastFirst = statements.findLast(({ start }) => start < firstOther);
    let head = '';
    for (const imported of this.modules.values()) {
      const place = imported.statement.start < firstOther ? imported.statement : lastFirst;
      if (place === undefined) head += this.loadOf(imported);
      else loads.set(place, (loads.get(place) ?? '') + this.loadOf(imported));
    }
    for (const [{ start, end }, load] of loads) this.blank(start, end, load === '' ? ';' : load);
    return head;
  }

  private loadOf(imported: Imported): string {
    const { name, load, after, all } = imported;
    if (all) after.push(`${INTEROP}.exportAll(exports, ${name}, ${JSON.stringify(this.exported)});`);
    const helper = helperFor(imported);
    if (helper === undefined && !imported.named && !all) return `${load};`;
    this.usesInterop ||= helper !== undefined || all;
    const value = helper === undefined ? load : `${INTEROP}.${helper}(${load})`;
    return `var ${name} = ${value};${after.join('')}`;
  }

  private replace(variable: Variable, expression: string): void {
    this.expressions.set(variable, expression);
    for (const identifier of [...variable.identifiers, ...variable.references.map(use => use.identifier)]) {
      this.replaced.set(startOf(identifier), expression);
    }
  }

  private expressionOf(variable: Variable): string {
    return this.expressions.get(variable) ?? variable.name;
  }

  private declaredBy(declaration: object): readonly Variable[] {
    const declared = this.module.scopes.getDeclaredVariables(declaration as never);
    return declared.filter(({ scope }) => scope === this.scope);
  }

  /** Replaces a part of the text and keeps its line breaks, so that the lines that follow stay where they are. */
  private blank(start: number, end: number, text: string): void {
    this.module.text.update(start, end, text + this.linesIn(start, end));
  }

  private linesIn(start: number, end: number): string {
    return this.module.source.slice(start, end).replace(/[^\n\r\u2028\u2029]/g, '');
  }
}

/** What presents a module that may be CommonJS; undefined where only names are imported, which all modules have. */
function helperFor({ default: isDefault, named, namespace }: Imported): keyof typeof interop | undefined {
  if (namespace || (isDefault && named)) return 'namespace';
  return isDefault ? 'default' : undefined;
}

const DECLARES: ReadonlySet<string> = new Set(['VariableDeclaration', 'ClassDeclaration', 'ImportDeclaration']);

function isFrom(statement: Program['body'][number]): statement is FromStatement {
  if (statement.type === 'ImportDeclaration' || statement.type === 'ExportAllDeclaration') return true;
  return statement.type === 'ExportNamedDeclaration' && statement.source != null;
}

function isExport(statement: Program['body'][number]): statement is ExportStatement {
  if (statement.type === 'ExportDefaultDeclaration') return true;
  return statement.type === 'ExportNamedDeclaration' && statement.source == null;
}

function ownNameFor(parameter: string): string {
  return `${OWN_NAME}_${parameter}`;
}

/** The name in a specifier. Names that are strings are left to Babel. */
function nameIn(name: Identifier | Literal): string {
  if (name.type !== 'Identifier') throw new LeftToBabel();
  return name.name;
}

function startOf(node: { readonly range?: readonly [number, number] | undefined }): number {
  return rangeOf(node)[0];
}

function rangeOf({ range }: { readonly range?: readonly [number, number] | undefined }): readonly [number, number] {
  if (range === undefined) throw new LeftToBabel();
  return range;
}
