import { newestName } from '../../../hooks/events/event-table';
import { printTree } from '../../syntax/print';
import { takenBy, type WrittenCall } from '../../syntax/roles';
import { arrayOf, nameOf, nodeAt, stringOf, unwrapped, type SyntaxNode } from '../../syntax/syntax-node';
import type { SyntaxTree } from '../../syntax/syntax-tree';
import { freeName, type Pass } from '../pass';
import { guardOf, replacementOf, type ReplacingEvent } from '../replaced-events';

type Print = (node: SyntaxNode) => string;

/**
 * Renames events to those of today's pi (docs/dialects.md, C3, C4, P1). Where the new event is also emitted in other
 * cases, handlers first check which case it is: for `session_start`, by its reason, as it is also emitted for switches
 * and forks.
 */
export const renameEvents: Pass = ({ tree, roles }) => {
  const names = new Map<SyntaxNode, string>();
  const guarded = new Map<SyntaxNode, ReplacingEvent>();
  const wrapped = new Map<SyntaxNode, Wrapped>();
  const listened = new Set(roles.calls.filter(({ method }) => method === 'on').flatMap(call => call.names));
  const hasSeparateNewEvents = listened.has('session_before_new') || listened.has('session_new');
  for (const written of roles.calls) {
    const [name = '', ...more] = written.names;
    if (written.method !== 'on' || more.length > 0 || written.nameNode === undefined) continue;
    const replacement = replacementOf(name, hasSeparateNewEvents);
    const newest = replacement?.event ?? newestName(name) ?? name;
    if (newest !== name && stringOf(written.nameNode) === undefined) continue;
    if (replacement !== undefined && !guard(written, replacement)) continue;
    if (newest !== name) names.set(written.nameNode, quotedLike(tree.source(written.nameNode), newest));
  }
  return printTree(tree, (node, print) => {
    const replacement = guarded.get(node);
    if (replacement !== undefined) return printGuarded(tree, node, replacement, print);
    const other = wrapped.get(node);
    if (other === undefined) return names.get(node);
    wrapped.delete(node); // Inside the wrapper, the node is printed as it is.
    return printWrapped(node, other, print);
  });

  function guard({ call, handler }: WrittenCall, replacement: ReplacingEvent): boolean {
    const argument = arrayOf(call, 'arguments')[1];
    if (handler === undefined || argument === undefined) return false;
    if (unwrapped(argument) === handler && takesPlainEvent(handler)) guarded.set(handler, replacement);
    else {
      wrapped.set(argument, { replacement, takes: arrayOf(handler, 'params').length, isInline: argument === handler });
    }
    return true;
  }
};

/** Whether {@link headFor} can read a member of the event that a handler gets. */
export function takesPlainEvent(handler: SyntaxNode): boolean {
  const [parameter] = arrayOf(handler, 'params');
  return parameter === undefined || /^(?:Identifier|ObjectPattern)$/.test(parameter.type);
}

interface Wrapped {
  readonly replacement: ReplacingEvent;
  /** How many parameters the handler has. */
  readonly takes: number;
  readonly isInline: boolean;
}

/** Wraps a handler that may also be used elsewhere in a function that calls it only in the right cases. */
function printWrapped(node: SyntaxNode, { replacement, takes, isInline }: Wrapped, print: Print): string {
  const condition = replacement.skipCondition(`event.${replacement.member}`) ?? 'false';
  const given = ['event', 'ctx'].slice(0, takes).join(', ');
  const handler = isInline ? `(${print(node)})` : print(node);
  return `${takes > 1 ? '(event, ctx)' : 'event'} => (${condition} ? undefined : ${handler}(${given}))`;
}

/** Prints a handler that first leaves in the cases which the event did not have before. */
export function printGuarded(
  tree: SyntaxTree,
  handler: SyntaxNode,
  replacement: ReplacingEvent,
  print: Print,
): string | undefined {
  const body = nodeAt(handler, 'body');
  if (body === undefined) return undefined;
  const { head, value } = headFor(tree, handler, body, replacement);
  const indent = tree.indentAt(handler.start);
  const guard = guardOf(replacement, value);
  const printed = print(body);
  if (body.type === 'BlockStatement') {
    const rest = /^\{\s*\}$/.test(printed) ? `\n${indent}}` : printed.slice(1);
    return `${head}{\n${indent}  ${guard}${/^\s*\n/.test(rest) ? rest : `\n${indent}  ${rest.trimStart()}`}`;
  }
  return `${head.replace(/\(\s*$/, '')}{\n${indent}  ${guard}\n${indent}  return ${printed};\n${indent}}`;
}

/** The text of the handler up to its body, and the code that reads the member which the guard checks. */
export function headFor(
  tree: SyntaxTree,
  handler: SyntaxNode,
  body: SyntaxNode,
  { member }: ReplacingEvent,
): { readonly head: string; readonly value: string } {
  const head = tree.text.slice(handler.start, body.start);
  const [parameter] = arrayOf(handler, 'params');
  if (parameter === undefined) return { head: head.replace(/\(\s*\)/, '(event)'), value: `event.${member}` };
  if (parameter.type === 'Identifier') return { head, value: `${nameOf(parameter)}.${member}` };
  const known = nameOf(nodeAt(takenBy(parameter).get(member), 'value'));
  if (known !== '') return { head, value: known };
  const value = freeName(tree, handler, member, 'told');
  const at = parameter.start + 1 - handler.start;
  const taken = arrayOf(parameter, 'properties').length === 0 ? '' : ',';
  return {
    head: `${head.slice(0, at)} ${value === member ? member : `${member}: ${value}`}${taken}${head.slice(at)}`,
    value,
  };
}

/** The text in the same quotes as in the source. */
export function quotedLike(source: string, text: string): string {
  const quote = /^['"`]/.exec(source)?.[0] ?? "'";
  return `${quote}${text}${quote}`;
}
