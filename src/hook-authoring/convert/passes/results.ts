import { printTree } from '../../syntax/print';
import { initialValue } from '../../syntax/roles';
import {
  arrayOf,
  isFunction,
  propertyName,
  nodeAt,
  stringOf,
  unwrapped,
  type SyntaxNode,
} from '../../syntax/syntax-node';
import type { SyntaxTree } from '../../syntax/syntax-tree';
import type { Pass } from '../pass';
import type { ReplacingEvent } from '../replaced-events';
import { headFor, printGuarded, quotedLike, takesPlainEvent } from './rename-events';

/**
 * Converts answers that now mean something else: to failed results, blocks without a reason, and the role of messages.
 */
export const convertResults: Pass = ({ tree, roles, dialect }) => {
  const guarded = new Set<SyntaxNode>();
  const watched = new Set<SyntaxNode>();
  const wrapped = new Map<SyntaxNode, string>();
  const blocks = new Set<SyntaxNode>();
  for (const { method, names, handler } of roles.calls) {
    if (method !== 'on' || handler === undefined) continue;
    if (names.includes('tool_call')) {
      const values = answersIn(tree, handler).flatMap(answer => branchesOf(initialValue(tree, answer)));
      for (const value of values) if (isBareBlock(value)) blocks.add(value);
    }
    if (!names.includes('tool_result') || dialect.changesFailures || looksAtFailures(tree, handler)) continue;
    if (answersIn(tree, handler).length === 0 || !takesPlainEvent(handler)) continue;
    // Hooks of omp also get failed results, but cannot change them; hooks of older dialects never get one.
    (dialect.id === 'omp' ? watched : guarded).add(handler);
  }
  return printTree(tree, (node, print) => {
    if (guarded.has(node)) return printGuarded(tree, node, ONLY_SUCCESS, print);
    const body = watched.has(node) ? nodeAt(node, 'body') : undefined;
    if (body !== undefined) {
      const { head, value } = headFor(tree, node, body, ONLY_SUCCESS);
      for (const answer of answersIn(tree, node)) wrapped.set(answer, value);
      return `${head}${print(body)}${tree.text.slice(body.end, node.end)}`;
    }
    const isError = wrapped.get(node);
    if (isError !== undefined) {
      wrapped.delete(node);
      return `${isError} ? undefined : ${printAnswer(node, print)}`;
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

/** Leaves a handler when the call has failed. */
const ONLY_SUCCESS: ReplacingEvent = {
  event: 'tool_result',
  member: 'isError',
  skipCondition: value => value,
  why: 'Only results of calls that succeeded are changed.',
};

function printAnswer(node: SyntaxNode, print: (node: SyntaxNode) => string): string {
  const printed = print(node);
  return /^(?:Conditional|Assignment|Sequence|Arrow)/.test(node.type) ? `(${printed})` : printed;
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

/** The expressions of which one gives the value of this one: the branches of its conditions, or itself. */
function branchesOf(node: SyntaxNode | undefined): readonly SyntaxNode[] {
  const value = unwrapped(node);
  if (value === undefined) return [];
  if (!/^(?:Conditional|Logical)Expression$/.test(value.type)) return [value];
  return ['consequent', 'alternate', 'left', 'right'].flatMap(member => branchesOf(nodeAt(value, member)));
}

function isBareBlock(object: SyntaxNode): boolean {
  if (object.type !== 'ObjectExpression') return false;
  const properties = arrayOf(object, 'properties');
  const blocks = properties.find(property => propertyName(property) === 'block');
  return nodeAt(blocks, 'value')?.['value'] === true && properties.length === 1;
}
