import {
  arrayOf,
  memberName,
  nameOf,
  nodeAt,
  stringOf,
  unwrapped,
  type SyntaxNode,
} from '../../hook-authoring/syntax/syntax-node';
import type { SyntaxTree } from '../../hook-authoring/syntax/syntax-tree';

/** How many steps from an expression to its value are followed: two constants could refer to each other. */
const DEPTH = 12;

/**
 * Returns the text of an expression whose value is constant: a literal, one assembled from pieces, or a decoded one.
 * Undefined when the value depends on the run. Does not execute the code.
 */
export function constantText(tree: SyntaxTree, node: SyntaxNode | undefined, depth = DEPTH): string | undefined {
  const inner = unwrapped(node);
  if (inner === undefined || depth === 0) return undefined;
  const text = (part: SyntaxNode | undefined): string | undefined => constantText(tree, part, depth - 1);
  switch (inner.type) {
    case 'StringLiteral':
      return stringOf(inner);
    case 'TemplateLiteral':
      return templateText(inner, text);
    case 'BinaryExpression': {
      const [left, right] = [text(nodeAt(inner, 'left')), text(nodeAt(inner, 'right'))];
      return inner['operator'] === '+' && left !== undefined && right !== undefined ? left + right : undefined;
    }
    case 'Identifier': {
      const binding = tree.resolve(inner);
      const declarator = binding?.owner.type === 'VariableDeclarator' ? binding.owner : undefined;
      const isConstant = declarator !== undefined && tree.parent(declarator)?.['kind'] === 'const';
      return isConstant ? text(nodeAt(declarator, 'init')) : undefined;
    }
    case 'CallExpression':
      return calledText(tree, inner, depth);
    default:
      return undefined;
  }
}

function templateText(
  template: SyntaxNode,
  text: (part: SyntaxNode | undefined) => string | undefined,
): string | undefined {
  const holes = arrayOf(template, 'expressions').map(text);
  if (holes.some(hole => hole === undefined)) return undefined;
  return quasisOf(template).reduce((whole, quasi, index) => whole + quasi + (holes[index] ?? ''), '');
}

/** The literal pieces of a template, in order. */
export function quasisOf(template: SyntaxNode): readonly string[] {
  return arrayOf(template, 'quasis').map(quasi => {
    const value = quasi['value'];
    const cooked = typeof value === 'object' && value !== null && 'cooked' in value ? value.cooked : '';
    return typeof cooked === 'string' ? cooked : '';
  });
}

/**
 * Evaluates `atob('…')`, `Buffer.from('…', 'base64').toString()`, `String.fromCharCode(…)`, methods of texts and lists.
 */
function calledText(tree: SyntaxTree, call: SyntaxNode, depth: number): string | undefined {
  const callee = nodeAt(call, 'callee');
  const object = nodeAt(callee, 'object');
  const method = memberName(callee);
  const given = arrayOf(call, 'arguments');
  const texts = given.map(part => constantText(tree, part, depth - 1));
  const [first] = texts;
  if (nameOf(callee) === 'atob') return first === undefined ? undefined : decoded(first, 'base64');
  if (method === 'fromCharCode' && nameOf(object) === 'String') return fromCodes(given);
  if (method === 'toString') return bufferText(tree, object, depth);
  if (method === 'join') return listText(tree, object, depth)?.join(first ?? ',');
  const own = constantText(tree, object, depth - 1);
  if (own === undefined || texts.some(text => text === undefined)) return undefined;
  const [second = ''] = texts.slice(1);
  if (method === 'concat') return own + texts.join('');
  if (method === 'replace' && first !== undefined) return own.replace(first, () => second);
  if (method === 'replaceAll' && first !== undefined) return own.replaceAll(first, () => second);
  return method === 'trim' || method === 'toLowerCase' ? own[method]() : undefined;
}

/** Returns the texts in `['a', 'b']`, `'ab'.split('')` or either of them reversed; undefined for other expressions. */
function listText(tree: SyntaxTree, node: SyntaxNode | undefined, depth: number): readonly string[] | undefined {
  const inner = unwrapped(node);
  if (inner === undefined || depth === 0) return undefined;
  if (inner.type === 'ArrayExpression') {
    const texts = arrayOf(inner, 'elements').map(element => constantText(tree, element, depth - 1));
    return texts.every(text => text !== undefined) ? texts : undefined;
  }
  const callee = nodeAt(inner, 'callee');
  const object = nodeAt(callee, 'object');
  if (memberName(callee) === 'reverse') return listText(tree, object, depth - 1)?.toReversed();
  if (memberName(callee) !== 'split') return undefined;
  const separator = constantText(tree, arrayOf(inner, 'arguments')[0], depth - 1);
  return separator === undefined ? undefined : constantText(tree, object, depth - 1)?.split(separator);
}

function bufferText(tree: SyntaxTree, node: SyntaxNode | undefined, depth: number): string | undefined {
  const callee = nodeAt(node, 'callee');
  if (nameOf(nodeAt(callee, 'object')) !== 'Buffer' || memberName(callee) !== 'from') return undefined;
  const [text, encoding = 'utf8'] = arrayOf(node, 'arguments').map(part => constantText(tree, part, depth - 1));
  return text === undefined ? undefined : decoded(text, encoding);
}

function decoded(text: string, encoding: string): string | undefined {
  return Buffer.isEncoding(encoding) ? Buffer.from(text, encoding).toString() : undefined;
}

function fromCodes(given: readonly SyntaxNode[]): string | undefined {
  const codes = given.map(({ value }) => value);
  return codes.every(code => typeof code === 'number') ? String.fromCharCode(...codes) : undefined;
}
