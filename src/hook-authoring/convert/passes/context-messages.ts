import { printTree } from '../../syntax/print';
import { arrayOf, propertyName, memberName, nodeAt, type SyntaxNode } from '../../syntax/syntax-node';
import type { SyntaxTree } from '../../syntax/syntax-tree';
import type { Pass } from '../pass';

/**
 * Only V2 wraps each message of `context` with the index of its entry (docs/dialects.md, C15). If a handler only passes
 * the index on, its messages are wrapped when they are read and unwrapped when they are returned. If the handler uses
 * the index or reads the entries, this changes nothing: newer dialects have nothing equivalent.
 */
export const convertContext: Pass = ({ tree, roles, dialect }, needs) => {
  if (dialect.contextForm !== 'wrapped') return tree.text;
  const handlers = roles.calls.flatMap(({ method, names, handler }) =>
    method === 'on' && names.includes('context') && handler !== undefined && isCarriedOnly(tree, handler)
      ? [handler]
      : [],
  );
  const wrapped = new Set<SyntaxNode>();
  const unwrapped = new Set<SyntaxNode>();
  for (const handler of handlers) {
    for (const node of tree.within(handler)) {
      if (memberName(node) === 'messages' && roles.of(nodeAt(node, 'object'))?.type === 'event') wrapped.add(node);
      const isAnswer =
        node.type === 'ObjectProperty' && propertyName(node) === 'messages' && isReturned(tree, node, handler);
      if (isAnswer) unwrapped.add(node);
    }
  }
  if (wrapped.size > 0) needs.wrapsContext = true;
  return printTree(tree, (node, print) => {
    if (wrapped.has(node)) {
      return `${tree.source(node)}.map((message): ContextMessage => ({ message, entryIndex: null }))`;
    }
    if (!unwrapped.has(node)) return undefined;
    const value = nodeAt(node, 'value');
    return value === undefined ? undefined : `messages: ${print(value)}.map(({ message }) => message)`;
  });
};

/** True when `entries` is not read, and `entryIndex` is only copied from one element to the next. */
function isCarriedOnly(tree: SyntaxTree, handler: SyntaxNode): boolean {
  return tree.within(handler).every(node => {
    if (memberName(node) === 'entries') return false;
    if (memberName(node) === 'entryIndex') return tree.parent(node)?.type === 'ObjectProperty';
    if (node.type !== 'Identifier' || node['name'] !== 'entryIndex') return true;
    const parent = tree.parent(node);
    return parent?.type === 'ObjectProperty' || memberName(parent) === 'entryIndex';
  });
}

function isReturned(tree: SyntaxTree, property: SyntaxNode, handler: SyntaxNode): boolean {
  const object = tree.parent(property);
  if (tree.functionAround(property) !== handler || object === undefined) return false;
  for (let at: SyntaxNode | undefined = object; at !== undefined && at !== handler; at = tree.parent(at)) {
    if (at.type === 'ReturnStatement' || at === nodeAt(handler, 'body')) return true;
    if (!/^(?:ObjectExpression|ConditionalExpression|TSAsExpression|TSSatisfiesExpression)$/.test(at.type)) {
      return false;
    }
  }
  return arrayOf(handler, 'params').length > 0;
}
