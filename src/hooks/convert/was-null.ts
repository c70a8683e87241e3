import type { Roles } from '../syntax/roles';
import { memberName, nameOf, nodeAt, unwrapped, type SyntaxNode } from '../syntax/syntax-node';
import type { SyntaxTree } from '../syntax/syntax-tree';

/** Whether an expression gave `null` for nothing in the old dialect, where the new one gives `undefined`. */
export type GaveNull = (node: SyntaxNode) => boolean;

const WRAPPERS = /^(?:Await|TSAs|TSSatisfies|TSNonNull|Parenthesized)Expression$|^ChainExpression$/;

/** Decides what becomes of `null` where a cancelled dialog or a missing model is `undefined` now (C10). */
export class WasNull {
  constructor(
    private readonly tree: SyntaxTree,
    private readonly gaveNull: GaveNull,
  ) {}

  /** Whether somebody could tell `undefined` from `null` in what the expression gives: then it needs `?? null`. */
  needsNull(source: SyntaxNode): boolean {
    return !this.isIndifferent(source, new Set());
  }

  /** Whether a `null` written in a comparison has to become `undefined`. */
  becomesUndefined(literal: SyntaxNode): boolean {
    const comparison = this.tree.parent(literal);
    if (literal.type !== 'NullLiteral' || comparison?.type !== 'BinaryExpression') return false;
    const other = nodeAt(comparison, nodeAt(comparison, 'left') === literal ? 'right' : 'left');
    return other !== undefined && this.isUndefinedNow(other);
  }

  private isUndefinedNow(node: SyntaxNode): boolean {
    const inner = this.stripped(node);
    if (inner === undefined) return false;
    if (this.gaveNull(inner)) return !this.needsNull(inner);
    const binding = this.tree.resolve(inner);
    const init = binding?.owner.type === 'VariableDeclarator' ? nodeAt(binding.owner, 'init') : undefined;
    if (binding === undefined || init === undefined || nodeAt(binding.owner, 'id') !== binding.id) return false;
    const source = this.sourceIn(init);
    return source !== undefined && !this.needsNull(source);
  }

  /** The expression that gave null below `await`, brackets and the right side of `??`. */
  private sourceIn(node: SyntaxNode): SyntaxNode | undefined {
    const inner = this.stripped(node);
    if (inner === undefined) return undefined;
    if (this.gaveNull(inner)) return inner;
    if (inner.type === 'LogicalExpression') return this.sourceIn(nodeAt(inner, 'right') ?? inner);
    if (inner.type !== 'ConditionalExpression') return undefined;
    return this.sourceIn(nodeAt(inner, 'consequent') ?? inner) ?? this.sourceIn(nodeAt(inner, 'alternate') ?? inner);
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
    if (WRAPPERS.test(parent.type)) return this.isIndifferent(parent, seen);
    switch (parent.type) {
      case 'LogicalExpression':
        return nodeAt(parent, 'left') === node && parent['operator'] === '??' ? true : this.isIndifferent(parent, seen);
      case 'ConditionalExpression':
        return nodeAt(parent, 'test') === node || this.isIndifferent(parent, seen);
      case 'IfStatement':
      case 'WhileStatement':
      case 'ExpressionStatement':
      case 'SwitchStatement':
        return true;
      case 'UnaryExpression':
        return parent['operator'] === '!';
      case 'BinaryExpression':
        return /^[!=]==?$/.test(String(parent['operator']));
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

  private isVariableIndifferent(declarator: SyntaxNode, seen: Set<SyntaxNode>): boolean {
    const id = nodeAt(declarator, 'id');
    if (id?.type !== 'Identifier' || nodeAt(id, 'typeAnnotation') !== undefined) return false;
    const parent = this.tree.parent(declarator);
    if (parent?.['kind'] !== 'const') return false;
    const uses = this.tree.references({ name: nameOf(id), id, owner: declarator });
    return uses.every(use => this.isIndifferent(use, seen) || this.isNarrowed(use, uses));
  }

  /** Read where an earlier comparison has already sorted nothing out: `if (x === null) return; use(x)`. */
  private isNarrowed(use: SyntaxNode, uses: readonly SyntaxNode[]): boolean {
    const scope = this.tree.functionAround(use);
    return uses.some(other => {
      if (other.start >= use.start || this.tree.functionAround(other) !== scope) return false;
      let at: SyntaxNode | undefined = other;
      for (let parent = this.tree.parent(other); parent !== undefined; at = parent, parent = this.tree.parent(parent)) {
        if (parent.type !== 'IfStatement') continue;
        const inTest = nodeAt(parent, 'test') === at || (nodeAt(parent, 'test')?.start ?? 0) <= other.start;
        return (
          inTest &&
          /Return|Throw/.test(
            this.tree.source(nodeAt(parent, 'consequent') ?? parent).replace(/\b(return|throw)\b/, 'Return'),
          )
        );
      }
      return false;
    });
  }
}

/** Calls of dialogs that a person can cancel, and members that may be missing. */
export function gaveNullIn(roles: Roles): GaveNull {
  return node => {
    if (node.type === 'CallExpression') {
      const callee = nodeAt(node, 'callee');
      const ui = unwrapped(nodeAt(callee, 'object'));
      const name = memberName(callee) ?? '';
      if (/^(?:select|input|editor)$/.test(name)) {
        return memberName(ui) === 'ui' && roles.of(nodeAt(ui, 'object'))?.type === 'ctx';
      }
      return name === 'findModel' && roles.of(nodeAt(callee, 'object'))?.type === 'ctx';
    }
    const name = memberName(node) ?? '';
    const role = roles.of(nodeAt(node, 'object'))?.type;
    if (role === 'event') return /^(?:sessionFile|previousSessionFile)$/.test(name);
    return role === 'ctx' && /^(?:model|sessionFile)$/.test(name);
  };
}
