import { arrayOf, memberName, nodeAt, propertyName, unwrapped, type SyntaxNode } from './syntax-node';
import type { SyntaxTree } from './syntax-tree';

/** Finds the places inside a node that change `event.input`, also where it was taken out of the event. */
export function inputChanges(tree: SyntaxTree, outer: SyntaxNode): readonly SyntaxNode[] {
  return tree.within(outer).filter(node => {
    const target = changedBy(tree, node);
    return memberName(target) === 'input' || isOfInput(tree, node.type === 'CallExpression' ? target : ownerOf(target));
  });
}

/** Methods of lists that change the list. */
const CHANGES_LIST = /^(?:copyWithin|fill|pop|push|reverse|shift|sort|splice|unshift)$/;

/** The expression that an assignment, `++`, a `delete`, `Object.assign` or a method of a list changes. */
function changedBy(tree: SyntaxTree, node: SyntaxNode): SyntaxNode | undefined {
  switch (node.type) {
    case 'AssignmentExpression':
      return unwrapped(nodeAt(node, 'left'));
    case 'UpdateExpression':
      return unwrapped(nodeAt(node, 'argument'));
    case 'UnaryExpression':
      return node['operator'] === 'delete' ? unwrapped(nodeAt(node, 'argument')) : undefined;
    case 'CallExpression': {
      const callee = nodeAt(node, 'callee');
      if (CHANGES_LIST.test(memberName(callee) ?? '')) return ownerOf(callee);
      const isAssign = tree.source(callee ?? node) === 'Object.assign';
      return isAssign ? unwrapped(arrayOf(node, 'arguments')[0]) : undefined;
    }
    default:
      return undefined;
  }
}

function ownerOf(node: SyntaxNode | undefined): SyntaxNode | undefined {
  return unwrapped(nodeAt(node, 'object'));
}

function isOfInput(tree: SyntaxTree, node: SyntaxNode | undefined): boolean {
  if (node === undefined) return false;
  return memberName(node) === 'input' || isTakenInput(tree, node) || isOfInput(tree, ownerOf(node));
}

/** Whether a name stands for `event.input`, as in `({ input }) => …` or `const input = event.input`. */
function isTakenInput(tree: SyntaxTree, node: SyntaxNode): boolean {
  const binding = tree.resolve(node);
  if (binding === undefined) return false;
  const property = tree.parent(binding.id);
  if (property?.type === 'ObjectProperty') return propertyName(property) === 'input';
  return property?.type === 'VariableDeclarator' && memberName(unwrapped(nodeAt(property, 'init'))) === 'input';
}
