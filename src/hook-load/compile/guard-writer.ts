import type { AnyNode, BlockStatement } from 'acorn';
import type MagicString from 'magic-string';
import { ACTIVE, isNext, loopGuard } from './loop-guards';

/**
 * Writes guards into the text of a module while its nodes are visited: where {@link loopGuardPlugin} of loop-guards.ts
 * puts them.
 */
export class GuardWriter {
  /** Whether a guard was written. */
  hasGuards = false;

  /** For each function around the visited node, the innermost last: whether it can run forever without a loop. */
  private readonly active: boolean[] = [];
  private readonly lineStarts: readonly number[];

  constructor(private readonly text: MagicString) {
    this.lineStarts = [
      0,
      ...[...text.original.matchAll(/\r\n|[\n\r\u2028\u2029]/g)].map(({ index, 0: line }) => index + line.length),
    ];
  }

  /** Whether the visited node is in a function. */
  get isInFunction(): boolean {
    return this.active.length > 0;
  }

  /** Call this before the children of the node are visited. */
  enter(node: AnyNode, parent: AnyNode | undefined): void {
    if (isFunction(node)) this.active.push(parent !== undefined && isNext(parent));
    else if (this.isInFunction && ACTIVE.includes(node.type)) this.active[this.active.length - 1] = true;
  }

  /** Call this after the children of the node were visited. */
  leave(node: AnyNode, parent: AnyNode | undefined): void {
    if (isLoop(node)) this.guardBody(node.body, node.start);
    else if (isFunction(node) && this.active.pop() === true) this.guardFunction(node, parent);
  }

  private guardFunction({ start, body }: FunctionNode, parent: AnyNode | undefined): void {
    const isMethod =
      parent?.type === 'MethodDefinition' || (parent?.type === 'Property' && (parent.method || parent.kind !== 'init'));
    const begin = isMethod ? parent.start : start;
    if (body.type === 'BlockStatement') {
      this.guardBody(body, begin);
      return;
    }
    this.hasGuards = true;
    this.text.appendLeft(body.start, `(${loopGuard(this.lineOf(begin))}, `);
    this.text.appendLeft(body.end, ')');
  }

  private guardBody(body: AnyNode, start: number): void {
    this.hasGuards = true;
    const guard = `${loopGuard(this.lineOf(start))};`;
    if (body.type === 'BlockStatement') {
      const at = afterDirectives(body);
      this.text.appendLeft(at, at === body.start + 1 ? guard : `;${guard}`);
      return;
    }
    this.text.appendLeft(body.start, `{${guard}`);
    this.text.appendLeft(body.end, '}');
  }

  /** The 1-based line of a position. */
  private lineOf(position: number): number {
    let low = 0;
    let high = this.lineStarts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.lineStarts[middle] ?? Infinity) <= position) low = middle;
      else high = middle;
    }
    return low + 1;
  }
}

/** Where the statements of a body start that follow its directives. */
export function afterDirectives({ start, body }: BlockStatement): number {
  return body.findLast(each => 'directive' in each && each.directive !== undefined)?.end ?? start + 1;
}

type FunctionNode = Extract<
  AnyNode,
  { readonly type: 'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression' }
>;

const FUNCTIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);

function isFunction(node: AnyNode): node is FunctionNode {
  return FUNCTIONS.has(node.type);
}

const LOOPS: ReadonlySet<string> = new Set([
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'WhileStatement',
  'DoWhileStatement',
]);

function isLoop(
  node: AnyNode,
): node is Extract<AnyNode, { readonly type: `${'For' | 'ForIn' | 'ForOf' | 'While' | 'DoWhile'}Statement` }> {
  return LOOPS.has(node.type);
}
