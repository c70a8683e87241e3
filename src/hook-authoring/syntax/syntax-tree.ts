import { arrayOf, childrenOf, isFunction, nameOf, nodeAt, type SyntaxNode } from './syntax-node';

/** A declared name. */
export interface Binding {
  readonly name: string;
  /** The identifier that declares it. */
  readonly id: SyntaxNode;
  /** The function, declarator, import specifier or declaration around it. */
  readonly owner: SyntaxNode;
}

/** A parsed module: its nodes with their parents, and the bindings of its names. Offsets are in UTF-16 units from 0. */
export class SyntaxTree {
  /** The parent of each node, by the node's index in `nodes`. */
  private readonly parents: (SyntaxNode | undefined)[] = [];
  private readonly scopes = new Map<SyntaxNode, ReadonlyMap<string, Binding>>();
  private readonly lineStarts: readonly number[];
  /** Every node in the order of the source; a node comes before its children. */
  private readonly nodes: readonly SyntaxNode[];
  private readonly places = new Map<SyntaxNode, number>();
  /** The nodes by type, and by each combination of types that {@link ofType} was called with. */
  private readonly byType = new Map<string, SyntaxNode[]>();

  constructor(
    private readonly text: string,
    program: SyntaxNode,
  ) {
    const nodes: SyntaxNode[] = [];
    const visit = (node: SyntaxNode, parent: SyntaxNode | undefined): void => {
      this.places.set(node, nodes.length);
      const alike = this.byType.get(node.type);
      if (alike === undefined) this.byType.set(node.type, [node]);
      else alike.push(node);
      nodes.push(node);
      this.parents.push(parent);
      for (const child of childrenOf(node)) visit(child, node);
    };
    visit(program, undefined);
    this.nodes = nodes;
    const starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.lineStarts = starts;
  }

  source(node: SyntaxNode): string {
    return this.text.slice(node.start, node.end);
  }

  parent(node: SyntaxNode): SyntaxNode | undefined {
    const place = this.places.get(node);
    return place === undefined ? undefined : this.parents[place];
  }

  ofType(...types: readonly string[]): readonly SyntaxNode[] {
    const key = types.join(' ');
    const known = this.byType.get(key);
    if (known !== undefined) return known;
    const place = (node: SyntaxNode): number => this.places.get(node) ?? 0;
    const found = types.flatMap(type => this.byType.get(type) ?? []).sort((a, b) => place(a) - place(b));
    this.byType.set(key, found);
    return found;
  }

  /** A node and all nodes inside it. */
  within(outer: SyntaxNode): readonly SyntaxNode[] {
    const first = this.places.get(outer) ?? -1;
    const inside: SyntaxNode[] = [];
    for (let at = first; at >= 0 && at < this.nodes.length; at++) {
      const node = this.nodes[at];
      if (node === undefined || node.start >= outer.end) break;
      inside.push(node);
    }
    return inside;
  }

  /** The number of the line with this offset, counted from 1. */
  lineAt(offset: number): number {
    let low = 0;
    let high = this.lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }

  /** The binding that an identifier refers to; undefined for globals and for identifiers that are not references. */
  resolve(identifier: SyntaxNode): Binding | undefined {
    if (identifier.type !== 'Identifier' || !this.isReference(identifier)) return undefined;
    return this.lookUp(nameOf(identifier), identifier);
  }

  /** The binding of a name at a place; undefined when it is not declared in this module. */
  lookUp(name: string, at: SyntaxNode): Binding | undefined {
    for (let scope: SyntaxNode | undefined = at; scope !== undefined; scope = this.parent(scope)) {
      const found = isScope(scope) ? this.declarationsIn(scope).get(name) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** All places that read or write a binding, without its declaration. */
  references(binding: Binding): readonly SyntaxNode[] {
    return this.ofType('Identifier').filter(
      node => nameOf(node) === binding.name && this.resolve(node)?.id === binding.id,
    );
  }

  /** The innermost function around a node. */
  functionAround(node: SyntaxNode): SyntaxNode | undefined {
    let around = this.parent(node);
    while (around !== undefined && !isFunction(around)) around = this.parent(around);
    return around;
  }

  private isReference(node: SyntaxNode): boolean {
    const parent = this.parent(node);
    if (parent === undefined) return false;
    switch (parent.type) {
      case 'MemberExpression':
      case 'OptionalMemberExpression':
        return parent['property'] !== node || parent['computed'] === true;
      case 'ObjectProperty':
        return (parent['value'] === node && !this.isDeclaration(node)) || parent['computed'] === true;
      case 'ObjectMethod':
      case 'ClassMethod':
      case 'ClassProperty':
      case 'TSPropertySignature':
      case 'TSMethodSignature':
        return parent['key'] !== node || parent['computed'] === true;
      case 'ImportSpecifier':
      case 'ImportDefaultSpecifier':
      case 'ImportNamespaceSpecifier':
      case 'LabeledStatement':
      case 'BreakStatement':
      case 'ContinueStatement':
        return false;
      default:
        return !this.isDeclaration(node);
    }
  }

  private isDeclaration(node: SyntaxNode): boolean {
    return this.lookUp(nameOf(node), node)?.id === node;
  }

  private declarationsIn(scope: SyntaxNode): ReadonlyMap<string, Binding> {
    const known = this.scopes.get(scope);
    if (known !== undefined) return known;
    const found = new Map<string, Binding>();
    for (const [id, owner] of declared(scope)) {
      if (!found.has(nameOf(id))) found.set(nameOf(id), { name: nameOf(id), id, owner });
    }
    this.scopes.set(scope, found);
    return found;
  }
}

const SCOPES: ReadonlySet<string> = new Set([
  'Program',
  'BlockStatement',
  'TSModuleBlock',
  'SwitchCase',
  'ForStatement',
  'ForOfStatement',
  'ForInStatement',
  'CatchClause',
]);

function isScope(node: SyntaxNode): boolean {
  return SCOPES.has(node.type) || isFunction(node);
}

type Declared = readonly [id: SyntaxNode, owner: SyntaxNode];

/** The identifiers declared directly in a scope. `var` counts as declared in its block, unlike in JavaScript. */
function declared(scope: SyntaxNode): readonly Declared[] {
  if (isFunction(scope)) {
    const own = scope.type === 'FunctionExpression' ? nodeAt(scope, 'id') : undefined;
    const parameters = arrayOf(scope, 'params').flatMap(patternNames);
    return [...(own === undefined ? [] : [own]), ...parameters].map(id => [id, scope] as const);
  }
  switch (scope.type) {
    case 'Program':
    case 'BlockStatement':
    case 'TSModuleBlock':
      return arrayOf(scope, 'body').flatMap(ofStatement);
    case 'SwitchCase':
      return arrayOf(scope, 'consequent').flatMap(ofStatement);
    case 'ForStatement':
      return ofStatement(nodeAt(scope, 'init'));
    case 'ForOfStatement':
    case 'ForInStatement':
      return ofStatement(nodeAt(scope, 'left'));
    case 'CatchClause':
      return patternNames(nodeAt(scope, 'param')).map(id => [id, scope] as const);
    default:
      return [];
  }
}

function ofStatement(statement: SyntaxNode | undefined): readonly Declared[] {
  if (statement === undefined) return [];
  switch (statement.type) {
    case 'VariableDeclaration':
      return arrayOf(statement, 'declarations').flatMap(declarator =>
        patternNames(nodeAt(declarator, 'id')).map(id => [id, declarator] as const),
      );
    case 'ImportDeclaration':
      return arrayOf(statement, 'specifiers').flatMap(specifier => {
        const local = nodeAt(specifier, 'local');
        return local === undefined ? [] : [[local, specifier] as const];
      });
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration':
      return ofStatement(nodeAt(statement, 'declaration'));
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
    case 'TSEnumDeclaration':
    case 'TSDeclareFunction': {
      const id = nodeAt(statement, 'id');
      return id === undefined ? [] : [[id, statement]];
    }
    default:
      return [];
  }
}

/** Identifiers that a parameter or the left side of a declaration binds. */
function patternNames(pattern: SyntaxNode | undefined): readonly SyntaxNode[] {
  if (pattern === undefined) return [];
  switch (pattern.type) {
    case 'Identifier':
      return [pattern];
    case 'ObjectPattern':
      return arrayOf(pattern, 'properties').flatMap(property =>
        patternNames(nodeAt(property, property.type === 'RestElement' ? 'argument' : 'value')),
      );
    case 'ArrayPattern':
      return arrayOf(pattern, 'elements').flatMap(patternNames);
    case 'AssignmentPattern':
      return patternNames(nodeAt(pattern, 'left'));
    case 'RestElement':
      return patternNames(nodeAt(pattern, 'argument'));
    case 'TSParameterProperty':
      return patternNames(nodeAt(pattern, 'parameter'));
    default:
      return [];
  }
}
