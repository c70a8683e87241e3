import { printTree } from '../../syntax/print';
import {
  arrayOf,
  isFunction,
  propertyName,
  nameOf,
  nodeAt,
  stringOf,
  unwrapped,
  type SyntaxNode,
} from '../../syntax/syntax-node';
import type { SyntaxTree } from '../../syntax/syntax-tree';
import type { Pass } from '../pass';
import { quotedLike } from './rename-events';

/**
 * Converts answers that now mean something else: to failed results, blocks without a reason, and the role of messages.
 */
export const convertResults: Pass = ({ tree, roles, dialect }) => {
  const guarded = new Map<SyntaxNode, string>();
  const wrapped = new Set<SyntaxNode>();
  const blocks = new Set<SyntaxNode>();
  for (const { method, names, handler } of roles.calls) {
    if (method !== 'on' || handler === undefined) continue;
    if (names.includes('tool_call')) {
      for (const answer of answersIn(tree, handler)) if (isBareBlock(answer)) blocks.add(answer);
    }
    if (!names.includes('tool_result') || dialect.changesFailures || looksAtFailures(tree, handler)) continue;
    if (answersIn(tree, handler).length === 0) continue;
    const event = nameOf(arrayOf(handler, 'params')[0]);
    if (event === '') continue;
    // Hooks of omp also get failed results, but cannot change them; hooks of older dialects never get one.
    if (dialect.id === 'omp') for (const answer of answersIn(tree, handler)) wrapped.add(answer);
    else guarded.set(nodeAt(handler, 'body') ?? handler, event);
  }
  return printTree(tree, (node, print) => {
    const event = guarded.get(node);
    if (event !== undefined) return withGuard(tree, node, event, print);
    if (wrapped.has(node)) {
      wrapped.delete(node);
      return `${eventAround(tree, node)}.isError ? undefined : ${printAnswer(node, print)}`;
    }
    if (blocks.has(node)) {
      blocks.delete(node);
      return print(node).replace(/,?\s*\}$/, `, reason: '${dialect.blockedText}' }`);
    }
    const isRole =
      node.type === 'StringLiteral' && stringOf(node) === 'hookMessage' && dialect.customRole === 'hookMessage';
    return isRole ? quotedLike(tree.source(node), 'custom') : undefined;
  });
};

function printAnswer(node: SyntaxNode, print: (node: SyntaxNode) => string): string {
  const printed = print(node);
  return /^(?:Conditional|Assignment|Sequence|Arrow)/.test(node.type) ? `(${printed})` : printed;
}

function eventAround(tree: SyntaxTree, node: SyntaxNode): string {
  return nameOf(arrayOf(tree.functionAround(node), 'params')[0]);
}

function withGuard(tree: SyntaxTree, body: SyntaxNode, event: string, print: (node: SyntaxNode) => string): string {
  if (body.type !== 'BlockStatement') return `${event}.isError ? undefined : ${printAnswer(body, print)}`;
  const first = arrayOf(body, 'body')[0];
  const indent = tree.indentAt(first?.start ?? body.start);
  let at = body.start + 1;
  let text = `{\n${indent}if (${event}.isError) return undefined; // Only results of calls that succeeded are changed.`;
  for (const statement of arrayOf(body, 'body')) {
    text += tree.text.slice(at, statement.start) + print(statement);
    at = statement.end;
  }
  return text + tree.text.slice(at, body.end);
}

/** The expressions that a handler returns, except `undefined`. */
export function answersIn(tree: SyntaxTree, handler: SyntaxNode): readonly SyntaxNode[] {
  const body = nodeAt(handler, 'body');
  if (body === undefined) return [];
  if (body.type !== 'BlockStatement') return [body];
  return tree
    .within(body)
    .filter(node => node.type === 'ReturnStatement' && tree.functionAround(node) === handler)
    .flatMap(node => nodeAt(node, 'argument') ?? [])
    .filter(argument => tree.source(argument) !== 'undefined');
}

/** Whether a handler returns nothing for failed calls before it returns an answer. */
function looksAtFailures(tree: SyntaxTree, handler: SyntaxNode): boolean {
  const body = nodeAt(handler, 'body');
  for (const statement of arrayOf(body, 'body')) {
    const leaves = unwrapped(nodeAt(statement, 'consequent'));
    if (statement.type === 'IfStatement' && leaves !== undefined) {
      const test = tree.source(nodeAt(statement, 'test') ?? statement);
      const inner = leaves.type === 'BlockStatement' ? arrayOf(leaves, 'body')[0] : leaves;
      const says = tree.source(nodeAt(inner, 'argument') ?? body ?? handler);
      const isEmpty =
        inner?.type === 'ReturnStatement' && (nodeAt(inner, 'argument') === undefined || says === 'undefined');
      if (isEmpty && /(?:^|\|\|\s*)[\w$]+\.isError\s*(?:$|\|\|)/.test(test)) return true;
    }
    const answers = tree
      .within(statement)
      .some(node => node.type === 'ReturnStatement' && nodeAt(node, 'argument') !== undefined && !isFunction(node));
    if (answers) return false;
  }
  return false;
}

function isBareBlock(answer: SyntaxNode): boolean {
  const object = unwrapped(answer);
  if (object?.type !== 'ObjectExpression') return false;
  const properties = arrayOf(object, 'properties');
  const blocks = properties.find(property => propertyName(property) === 'block');
  return nodeAt(blocks, 'value')?.['value'] === true && properties.length === 1;
}
