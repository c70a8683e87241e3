import type { Roles } from '../../syntax/roles';
import { arrayOf, isWrapper, memberName, nameOf, nodeAt, unwrapped, type SyntaxNode } from '../../syntax/syntax-node';
import type { SyntaxTree } from '../../syntax/syntax-tree';

/** Whether an expression could be `null` in the old dialect where it is `undefined` in the new one. */
export type ReturnedNull = (node: SyntaxNode) => boolean;

const LITERALS = /^(?:String|Numeric|Boolean|BigInt|RegExp|Template)Literal$/;

/**
 * Decides how `null` is rewritten, as a cancelled dialog or a missing model is now `undefined` (docs/dialects.md, C10).
 */
export class NullToUndefined {
  constructor(
    private readonly tree: SyntaxTree,
    private readonly gaveNull: ReturnedNull,
  ) {}

  /** Whether code could behave differently for `undefined` than for `null`: then the expression needs `?? null`. */
  needsNull(source: SyntaxNode): boolean {
    return isDialog(source) && !this.isAwaited(source)
      ? !this.isDropped(source)
      : !this.isIndifferent(source, new Set());
  }

  /** Whether an expression is directly the operand of an `await`. */
  isAwaited(node: SyntaxNode): boolean {
    let parent = this.tree.parent(node);
    while (parent !== undefined && isWrapper(parent)) parent = this.tree.parent(parent);
    return parent?.type === 'AwaitExpression';
  }

  /** Whether nobody gets the value of an expression. */
  private isDropped(node: SyntaxNode): boolean {
    const parent = this.tree.parent(node);
    return parent?.type === 'ExpressionStatement' || parent?.['operator'] === 'void';
  }

  /** Whether a `null` written in a comparison has to become `undefined`. */
  becomesUndefined(literal: SyntaxNode): boolean {
    const comparison = this.tree.parent(literal);
    if (literal.type !== 'NullLiteral' || comparison?.type !== 'BinaryExpression') return false;
    const other = nodeAt(comparison, nodeAt(comparison, 'left') === literal ? 'right' : 'left');
    return other !== undefined && this.isUndefinedNow(other);
  }

  private isUndefinedNow(node: SyntaxNode): boolean {
    const source = this.originOf(node);
    return source !== undefined && !this.needsNull(source);
  }

  /** The expression from which the compared `null` came; undefined if it could have come from elsewhere. */
  private originOf(node: SyntaxNode): SyntaxNode | undefined {
    const inner = this.stripped(node);
    if (inner === undefined || this.gaveNull(inner)) return inner;
    const binding = this.tree.resolve(inner);
    const init = binding?.owner.type === 'VariableDeclarator' ? nodeAt(binding.owner, 'init') : undefined;
    if (binding === undefined || init === undefined || nodeAt(binding.owner, 'id') !== binding.id) return undefined;
    return this.sourceIn(init);
  }

  /** Finds the expression that could be null inside `await`, brackets and the right side of `??` and `||`. */
  private sourceIn(node: SyntaxNode): SyntaxNode | undefined {
    const inner = this.stripped(node);
    if (inner === undefined || this.gaveNull(inner)) return inner;
    if (inner.type !== 'LogicalExpression' || inner['operator'] === '&&') return undefined;
    return this.sourceIn(nodeAt(inner, 'right') ?? inner);
  }

  private stripped(node: SyntaxNode): SyntaxNode | undefined {
    let inner = unwrapped(node);
    while (inner?.type === 'AwaitExpression') inner = unwrapped(nodeAt(inner, 'argument'));
    return inner;
  }

  private isIndifferent(node: SyntaxNode, seen: Set<SyntaxNode>): boolean {
    const parent = this.tree.parent(node);
    if (parent === undefined || seen.has(node)) return true;
    seen.add(node);
    if (parent.type === 'AwaitExpression' || isWrapper(parent)) return this.isIndifferent(parent, seen);
    switch (parent.type) {
      case 'LogicalExpression':
        return nodeAt(parent, 'left') === node && parent['operator'] === '??' ? true : this.isIndifferent(parent, seen);
      case 'ConditionalExpression':
        return nodeAt(parent, 'test') === node || this.isIndifferent(parent, seen);
      case 'IfStatement':
      case 'WhileStatement':
      case 'ExpressionStatement':
        return true;
      case 'UnaryExpression':
        return parent['operator'] === '!';
      case 'BinaryExpression':
        return this.isComparisonIndifferent(parent, node);
      case 'OptionalMemberExpression':
        return nodeAt(parent, 'object') === node;
      case 'MemberExpression':
        return nodeAt(parent, 'object') === node;
      case 'VariableDeclarator':
        return this.isVariableIndifferent(parent, seen);
      default:
        return false;
    }
  }

  /** `==` treats both alike. With `===`, other literals equal neither, and a literal `null` is rewritten. */
  private isComparisonIndifferent(comparison: SyntaxNode, node: SyntaxNode): boolean {
    const operator = String(comparison['operator']);
    if (/^[!=]=$/.test(operator)) return true;
    if (!/^[!=]==$/.test(operator)) return false;
    const side = nodeAt(comparison, 'left') === node ? 'right' : 'left';
    const other = unwrapped(nodeAt(comparison, side));
    if (other?.type === 'NullLiteral') return nodeAt(comparison, side) === other && this.originOf(node) !== undefined;
    if (isUndefined(other)) return this.isBesideNull(comparison, node);
    return LITERALS.test(other?.type ?? '');
  }

  /** Whether the comparison is half of `x === null || x === undefined`, which is true for both. */
  private isBesideNull(comparison: SyntaxNode, node: SyntaxNode): boolean {
    const both = this.tree.parent(comparison);
    const operator = comparison['operator'] === '===' ? '||' : '&&';
    if (both?.type !== 'LogicalExpression' || both['operator'] !== operator) return false;
    const other = nodeAt(both, nodeAt(both, 'left') === comparison ? 'right' : 'left');
    const compared = nodeAt(other, 'left');
    if (other?.['operator'] !== comparison['operator'] || compared === undefined) return false;
    return (
      node.type === 'Identifier' &&
      this.tree.source(compared) === this.tree.source(node) &&
      nodeAt(other, 'right')?.type === 'NullLiteral'
    );
  }

  private isVariableIndifferent(declarator: SyntaxNode, seen: Set<SyntaxNode>): boolean {
    const id = nodeAt(declarator, 'id');
    if (id?.type !== 'Identifier' || nodeAt(id, 'typeAnnotation') !== undefined) return false;
    const parent = this.tree.parent(declarator);
    if (parent?.['kind'] !== 'const') return false;
    const uses = this.tree.references({ name: nameOf(id), id, owner: declarator });
    return uses.every(use => this.isIndifferent(use, seen) || this.isNarrowed(use, uses));
  }

  /** Whether an earlier statement has already returned for null: `if (x === null) return; use(x)`. */
  private isNarrowed(use: SyntaxNode, uses: readonly SyntaxNode[]): boolean {
    const scope = this.tree.functionAround(use);
    return uses.some(other => {
      if (other.start >= use.start || this.tree.functionAround(other) !== scope) return false;
      const leaving = this.ifNothing(other);
      const block = leaving === undefined ? undefined : this.tree.parent(leaving);
      if (leaving === undefined || block === undefined || leaving.end > use.start) return false;
      return /^(?:BlockStatement|Program)$/.test(block.type) && block.start <= use.start && use.end <= block.end;
    });
  }

  /**
   * The `if` whose test is always true for null, such as `!x` or `x === null || …`, and which then returns or throws.
   */
  private ifNothing(use: SyntaxNode): SyntaxNode | undefined {
    let at = this.tree.parent(use);
    if (at === undefined || !this.isTrueForNull(at, use)) return undefined;
    let parent = this.tree.parent(at);
    while (parent?.type === 'LogicalExpression' && parent['operator'] === '||') {
      at = parent;
      parent = this.tree.parent(at);
    }
    if (parent?.type !== 'IfStatement' || nodeAt(parent, 'test') !== at) return undefined;
    const taken = nodeAt(parent, 'consequent');
    const last = taken?.type === 'BlockStatement' ? arrayOf(taken, 'body').at(-1) : taken;
    return /^(?:Return|Throw)Statement$/.test(last?.type ?? '') ? parent : undefined;
  }

  private isTrueForNull(test: SyntaxNode, use: SyntaxNode): boolean {
    if (test.type === 'UnaryExpression') return test['operator'] === '!';
    if (test.type !== 'BinaryExpression') return false;
    const other = nodeAt(test, nodeAt(test, 'left') === use ? 'right' : 'left');
    if (test['operator'] === '==') return other?.type === 'NullLiteral' || isUndefined(other);
    return test['operator'] === '===' && other?.type === 'NullLiteral';
  }
}

function isUndefined(node: SyntaxNode | undefined): boolean {
  return node?.type === 'Identifier' && nameOf(node) === 'undefined';
}

/** The dialogs whose answer was `null` when the user canceled. */
export const GAVE_NULL = /^(?:select|input|editor)$/;

/** Whether an expression is a call of a dialog, which returns a promise of the answer. */
export function isDialog(node: SyntaxNode): boolean {
  return node.type === 'CallExpression' && GAVE_NULL.test(memberName(nodeAt(node, 'callee')) ?? '');
}

/** Recognizes calls of dialogs that the user can cancel, and members that may be missing. */
export function nullReturnsIn(roles: Roles): ReturnedNull {
  return node => {
    if (node.type === 'CallExpression') {
      const callee = nodeAt(node, 'callee');
      const name = memberName(callee) ?? '';
      const owner = roles.of(nodeAt(callee, 'object'))?.type;
      return GAVE_NULL.test(name) ? owner === 'ui' : name === 'findModel' && owner === 'ctx';
    }
    const name = memberName(node) ?? '';
    const role = roles.of(nodeAt(node, 'object'))?.type;
    if (role === 'event') return /^(?:sessionFile|newSessionFile|previousSessionFile)$/.test(name);
    return role === 'ctx' && /^(?:model|sessionFile)$/.test(name);
  };
}
