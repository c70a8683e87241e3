import { newestName } from '../../hooks/events/event-table';
import { printTree } from '../syntax/print';
import { arrayOf, nodeAt, stringOf, type SyntaxNode } from '../syntax/syntax-node';
import type { Pass } from './pass';

/**
 * Gives split events their newest names (docs/dialects.md, C3, C4). A new session has become a switch with a reason:
 * handlers of it look at that first, and so do handlers of a switch in files that told the two apart.
 */
export const renameEvents: Pass = ({ tree, roles }) => {
  const names = new Map<SyntaxNode, string>();
  const guards = new Map<SyntaxNode, string>();
  const listened = new Set(roles.calls.filter(({ method }) => method === 'on').flatMap(call => call.names));
  const toldApart = listened.has('session_before_new') || listened.has('session_new');
  for (const {
    method,
    names: [name = '', ...more],
    nameNode,
    handler,
  } of roles.calls) {
    if (method !== 'on' || more.length > 0 || nameNode === undefined || stringOf(nameNode) === undefined) continue;
    const isSwitch = toldApart && /^session_(?:before_)?switch$/.test(name);
    const isNew = /^session_(?:before_)?new$/.test(name);
    const newest = newestName(name);
    if (!isSwitch && newest === undefined) continue;
    if (isSwitch || isNew) {
      if (handler === undefined || nodeAt(handler, 'body') === undefined) continue;
      guards.set(handler, isNew ? '!==' : '===');
    }
    names.set(nameNode, quotedLike(tree.source(nameNode), newest ?? name));
  }
  return printTree(tree, (node, print) => {
    const operator = guards.get(node);
    if (operator !== undefined) return guarded(node, operator, print);
    return names.get(node);
  });

  function guarded(handler: SyntaxNode, operator: string, print: (node: SyntaxNode) => string): string | undefined {
    const body = nodeAt(handler, 'body');
    const [parameter] = arrayOf(handler, 'params');
    if (body === undefined) return undefined;
    const event = parameter?.type === 'Identifier' ? tree.text.slice(parameter.start, parameter.end) : 'event';
    const name = event.replace(/[:?].*$/s, '').trim();
    const head = tree.text.slice(handler.start, body.start);
    const typed = parameter === undefined ? head.replace(/\(\s*\)/, `(${name})`) : head;
    const indent = tree.indentAt(handler.start);
    const guard = `if (${name}.reason ${operator} 'new') return undefined;`;
    const printed = print(body);
    if (body.type === 'BlockStatement') return `${typed}{\n${indent}  ${guard}${printed.slice(1)}`;
    return `${typed.replace(/\(\s*$/, '')}{\n${indent}  ${guard}\n${indent}  return ${printed};\n${indent}}`;
  }
};

/** The text in the quotes that the source used. */
export function quotedLike(source: string, text: string): string {
  const quote = /^['"`]/.exec(source)?.[0] ?? "'";
  return `${quote}${text}${quote}`;
}
