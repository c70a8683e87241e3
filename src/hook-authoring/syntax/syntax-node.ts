/** A node of Babel's syntax tree. Only the members that all nodes have are declared; helpers here read the others. */
export interface SyntaxNode {
  readonly type: string;
  /** Offset of the first character. */
  readonly start: number;
  /** Offset after the last character. */
  readonly end: number;
  readonly [member: string]: unknown;
}

/** Members that have no children, or children that other members have as well. */
const NOT_CHILDREN: ReadonlySet<string> = new Set([
  'loc',
  'extra',
  'leadingComments',
  'trailingComments',
  'innerComments',
  'comments',
  'tokens',
  'errors',
]);

export function isNode(value: unknown): value is SyntaxNode {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    typeof value.type === 'string' &&
    'start' in value &&
    typeof value.start === 'number' &&
    'end' in value &&
    typeof value.end === 'number'
  );
}

/** The direct children in the order of the source. For a shorthand property, only the value is a child. */
export function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (const member in node) {
    const value = node[member];
    if (typeof value !== 'object' || NOT_CHILDREN.has(member)) continue;
    if (member === 'key' && node['shorthand'] === true) continue;
    if (member === 'imported' && isNode(value) && value.start === nodeAt(node, 'local')?.start) continue;
    if (Array.isArray(value)) found.push(...(value as readonly unknown[]).filter(isNode));
    else if (isNode(value)) found.push(value);
  }
  return found.length > 1 ? found.sort(inOrder) : found;
}

function inOrder(a: SyntaxNode, b: SyntaxNode): number {
  return a.start - b.start || b.end - a.end;
}

/** The value of a member if it is a node. */
export function nodeAt(node: SyntaxNode | undefined, member: string): SyntaxNode | undefined {
  const value = node?.[member];
  return isNode(value) ? value : undefined;
}

/** The nodes in a member that is a list, without holes; empty when it is not a list. */
export function arrayOf(node: SyntaxNode | undefined, member: string): readonly SyntaxNode[] {
  const value = node?.[member];
  return Array.isArray(value) ? (value as readonly unknown[]).filter(isNode) : [];
}

/** Name of an identifier, else the empty string. */
export function nameOf(node: SyntaxNode | undefined): string {
  const name = node?.['name'];
  return typeof name === 'string' ? name : '';
}

const FUNCTIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ObjectMethod',
  'ClassMethod',
]);

export function isFunction(node: SyntaxNode): boolean {
  return FUNCTIONS.has(node.type);
}

/** The text of a string literal or of a template without expressions; undefined for anything else. */
export function stringOf(node: SyntaxNode | undefined): string | undefined {
  if (node?.type === 'StringLiteral' && typeof node['value'] === 'string') return node['value'];
  if (node?.type !== 'TemplateLiteral' || arrayOf(node, 'expressions').length > 0) return undefined;
  const value = arrayOf(node, 'quasis')[0]?.['value'];
  const cooked = typeof value === 'object' && value !== null && 'cooked' in value ? value.cooked : undefined;
  return typeof cooked === 'string' ? cooked : undefined;
}

const WRAPPERS: ReadonlySet<string> = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'ParenthesizedExpression',
]);

/** The expression without `as`, `satisfies`, `!` and parentheses around it. */
export function unwrapped(node: SyntaxNode | undefined): SyntaxNode | undefined {
  let inner = node;
  while (inner !== undefined && WRAPPERS.has(inner.type)) inner = nodeAt(inner, 'expression');
  return inner;
}

/** Name of the member that `object.member` or `object['member']` reads; undefined for anything else. */
export function memberName(node: SyntaxNode | undefined): string | undefined {
  if (node?.type !== 'MemberExpression' && node?.type !== 'OptionalMemberExpression') return undefined;
  const property = nodeAt(node, 'property');
  return node['computed'] === true ? stringOf(property) : nameOf(property);
}

/** Name of a property or method of an object literal or pattern; undefined when it is computed. */
export function propertyName(property: SyntaxNode): string | undefined {
  const key = nodeAt(property, 'key');
  if (property['computed'] === true) return undefined;
  return key?.type === 'Identifier' ? nameOf(key) : stringOf(key);
}

/** The property or method with this name in an object literal or pattern. */
export function propertyNamed(object: SyntaxNode | undefined, name: string): SyntaxNode | undefined {
  if (object?.type !== 'ObjectExpression' && object?.type !== 'ObjectPattern') return undefined;
  return arrayOf(object, 'properties').find(property => propertyName(property) === name);
}
