import { printTree } from '../../syntax/print';
import {
  arrayOf,
  propertyName,
  memberName,
  nameOf,
  nodeAt,
  unwrapped,
  type SyntaxNode,
} from '../../syntax/syntax-node';
import type { WrittenCall } from '../../syntax/roles';
import type { SyntaxTree } from '../../syntax/syntax-tree';
import { Folding, hasLongText } from './fold';
import { AGENT, freeName, statementAround, type NeededCode, type Pass, type Source } from '../pass';
import { byReason, guardOf, ONCE } from '../replaced-events';

/** A reason of the old event `session`, and the event that is now emitted for the same step. */
interface Step {
  readonly reason: string;
  readonly event: string;
  /** The reasons of that event that mean this step; when absent, all of them do. */
  readonly reasons?: readonly string[];
}

/** All steps, from the start to the end of a session. `word` is the file's word for a new session. */
function stepsFor(word: 'new' | 'clear'): readonly Step[] {
  return [
    { reason: 'start', event: 'session_start', reasons: ONCE },
    { reason: 'before_switch', event: 'session_before_switch', reasons: ['resume'] },
    { reason: `before_${word}`, event: 'session_before_switch', reasons: ['new'] },
    { reason: 'switch', event: 'session_start', reasons: ['resume'] },
    { reason: word, event: 'session_start', reasons: ['new'] },
    { reason: 'before_branch', event: 'session_before_fork' },
    { reason: 'branch', event: 'session_start', reasons: ['fork'] },
    { reason: 'before_compact', event: 'session_before_compact' },
    { reason: 'compact', event: 'session_compact' },
    { reason: 'shutdown', event: 'session_shutdown', reasons: ONCE },
  ];
}

/**
 * Splits each handler of `session` into one per step for which it does something. Handlers that cannot be split stay.
 */
export const splitSession: Pass = (source, needs) => {
  const written = source.roles.calls.filter(({ method, names }) => method === 'on' && names.includes('session'));
  const replaced = new Map<SyntaxNode, string>();
  for (const call of written) {
    const split = call.names.length === 1 ? splitOne(source, call, needs) : undefined;
    const place = split === undefined ? undefined : placeFor(source.tree, call.call, split);
    if (place !== undefined) replaced.set(place.node, place.text);
  }
  return printTree(source.tree, node => replaced.get(node));
};

/** Code without its last semicolon. */
interface Split {
  readonly text: string;
  readonly isOne: boolean;
}

/**
 * The node that the code replaces, and the new text: several statements become a block where only one can stand.
 * Undefined where they cannot stand.
 */
function placeFor(
  tree: SyntaxTree,
  call: SyntaxNode,
  { text, isOne }: Split,
): { readonly node: SyntaxNode; readonly text: string } | undefined {
  const parent = tree.parent(call);
  const statement = statementAround(tree, call);
  if (isOne || parent === statement) return { node: call, text };
  const indent = `\n${tree.indentAt(statement.start)}`;
  const block = `{${indent}  ${text};${indent}}`;
  if (parent?.type === 'ArrowFunctionExpression') return { node: call, text: block };
  return parent?.type === 'ExpressionStatement' ? { node: parent, text: block } : undefined;
}

interface Parts {
  readonly source: Source;
  readonly handler: SyntaxNode;
  readonly body: SyntaxNode;
  readonly isReason: (node: SyntaxNode) => boolean;
  readonly event: string;
  readonly indent: string;
  /** The name of `pi` in the call. */
  readonly pi: string;
}

function splitOne(source: Source, { call, handler }: WrittenCall, needs: NeededCode): Split | undefined {
  const { tree } = source;
  const inline = unwrapped(arrayOf(call, 'arguments')[1]);
  const body = nodeAt(handler, 'body');
  if (handler === undefined || inline !== handler || body?.type !== 'BlockStatement') return undefined;
  const parts: Parts = {
    source,
    handler,
    body,
    isReason: reasonIn(source, handler),
    event: eventName(source, handler),
    indent: tree.indentAt(statementAround(tree, call).start),
    pi: tree.source(nodeAt(nodeAt(call, 'callee'), 'object') ?? call),
  };
  const steps = stepsFor(source.newSessionWord).flatMap(step => {
    const text = new Folding(tree, parts.isReason, step.reason).block(body);
    return text === '' ? [] : [{ ...step, text }];
  });
  if (steps.length > 4 && onlyReads(parts)) return { text: forwarded(parts, steps, needs), isOne: false };
  // Steps that do the same share one registration, and so do the two steps of session_before_switch.
  const keyOf = ({ event, text }: Written): string => (event === 'session_start' ? `${event} ${text}` : event);
  const grouped = [...new Set(steps.map(keyOf))].map(key => steps.filter(step => keyOf(step) === key));
  const calls = grouped.map(group => registration(parts, group));
  const text = calls.join(`;\n\n${parts.indent}`);
  return {
    text: text === '' ? 'void 0 /* Nothing was done for any step of a session. */' : text,
    isOne: calls.length < 2,
  };
}

type Written = Step & { readonly text: string };

/** Writes one `pi.on` for steps of the same event; the code distinguishes them by reason unless all do the same. */
function registration(parts: Parts, steps: readonly Written[]): string {
  const { source, handler, body, indent, pi } = parts;
  const { text } = source.tree;
  const [first, second] = steps;
  const inner = `${indent}  `;
  const depth = `\n${source.tree.indentAt(arrayOf(body, 'body')[0]?.start ?? body.start)}`;
  let code: string;
  if (first === undefined) return '';
  const { event } = first;
  if (second === undefined || first.text === second.text) {
    const guard = guardFor(steps, parts.event);
    code = `${guard === '' ? '' : `\n${inner}${guard}`}${first.text}`;
  } else {
    const isMoved = !hasLongText(source.tree, body);
    const deeper = (own: string): string => (isMoved ? own.replaceAll(depth, `${depth}  `) : own);
    code = `\n${inner}if (${parts.event}.reason === 'new') {${deeper(second.text)}\n${inner}} else {${deeper(first.text)}\n${inner}}`;
  }
  const taken = arrayOf(handler, 'params')[0]?.type === 'ObjectPattern' ? takenApart(parts) : '';
  const head =
    taken === '' && !code.includes(`${parts.event}.`) ? text.slice(handler.start, body.start) : headWithEvent(parts);
  return `${pi}.on('${event}', ${head}{${taken}${code}\n${indent}})`;
}

/** The statement that leaves a handler if the reason of its event means none of these steps; '' if all do. */
function guardFor(steps: readonly Step[], event: string): string {
  const [first] = steps;
  const reasons = steps.flatMap(step => step.reasons ?? []);
  // session_before_switch has only two reasons, so that together they cover all cases.
  if (first?.reasons === undefined || (first.event === 'session_before_switch' && steps.length > 1)) return '';
  return guardOf(byReason(first.event, steps.length === 1 ? first.reasons : reasons), `${event}.reason`);
}

/** The text of the handler up to its body, with the event as a named parameter. */
function headWithEvent({ source, handler, body, event }: Parts): string {
  const { text } = source.tree;
  const [parameter] = arrayOf(handler, 'params');
  if (parameter === undefined) return text.slice(handler.start, body.start).replace(/\(\s*\)/, `(${event})`);
  const name = parameter.type === 'Identifier' ? nameOf(parameter).length : parameter.end - parameter.start;
  return `${text.slice(handler.start, parameter.start)}${event}${text.slice(parameter.start + name, body.start)}`;
}

/** A statement for the members other than the reason that the parameter's pattern took out of the event. */
function takenApart({ source, handler, event, indent }: Parts): string {
  const [pattern] = arrayOf(handler, 'params');
  const others = arrayOf(pattern, 'properties').filter(property => propertyName(property) !== 'reason');
  if (others.length === 0) return '';
  return `\n${indent}  const { ${others.map(property => source.tree.source(property)).join(', ')} } = ${event};`;
}

/**
 * Keeps a handler that only reads the reason as one function, which each of the new events calls with its old reason.
 */
function forwarded(parts: Parts, steps: readonly Written[], needs: NeededCode): string {
  const { source, handler, indent, pi } = parts;
  const { tree } = source;
  const name = freeName(tree, tree.program, 'onSession', 'onSessionStep');
  const [event, ctx] = arrayOf(handler, 'params');
  const isTyped = nodeAt(event, 'typeAnnotation') !== undefined;
  const typed = (parameter: SyntaxNode | undefined, type: string): string =>
    parameter === undefined || isTyped ? '' : `${tree.source(parameter)}: ${type}`;
  const head = `${handler['async'] === true ? 'async ' : ''}(${[
    typed(event, '{ readonly reason: string }'),
    typed(ctx, 'ExtensionContext'),
  ]
    .filter(each => each !== '')
    .join(', ')})`;
  const context = ctx === undefined ? '' : ', ctx';
  if (ctx !== undefined) {
    needs.imports.set(AGENT, new Set([...(needs.imports.get(AGENT) ?? []), 'type { ExtensionContext }']));
  }
  const calls = steps.map(step => {
    const fires = `${name}({ reason: '${step.reason}' }${context})`;
    const guard = guardFor([step], 'event');
    if (guard !== '') {
      return `${pi}.on('${step.event}', (event${context}) => {\n${indent}  ${guard}\n${indent}  return ${fires};\n${indent}})`;
    }
    return `${pi}.on('${step.event}', (_event${context}) => ${fires})`;
  });
  const body = tree.source(parts.body);
  return `const ${name} = ${head} => ${body};\n${indent}${calls.join(`;\n${indent}`)}`;
}

function onlyReads({ source, handler, isReason }: Parts): boolean {
  const { tree, roles } = source;
  if (nodeAt(arrayOf(handler, 'params')[0], 'typeAnnotation') !== undefined) return false;
  const answers = tree
    .within(handler)
    .some(
      node =>
        node.type === 'ReturnStatement' &&
        nodeAt(node, 'argument') !== undefined &&
        tree.functionAround(node) === handler,
    );
  return (
    !answers &&
    tree.within(handler).every(node => {
      if (node.type !== 'Identifier' || roles.of(node)?.type !== 'event' || tree.resolve(node) === undefined) {
        return true;
      }
      const parent = tree.parent(node);
      return parent !== undefined && isReason(parent);
    })
  );
}

/** Returns a test for expressions that read the reason: `event.reason`, or a variable that a pattern binds to it. */
function reasonIn({ tree, roles }: Source, handler: SyntaxNode): (node: SyntaxNode) => boolean {
  const ids = new Set<SyntaxNode>();
  for (const [pattern] of roles.patterns) {
    if (pattern.start < handler.start || pattern.end > handler.end) continue;
    for (const property of arrayOf(pattern, 'properties')) {
      const value = nodeAt(property, 'value');
      if (propertyName(property) === 'reason' && value?.type === 'Identifier') ids.add(value);
    }
  }
  return node => {
    if (memberName(node) === 'reason') return roles.of(nodeAt(node, 'object'))?.type === 'event';
    const binding = node.type === 'Identifier' ? tree.resolve(node) : undefined;
    return binding !== undefined && ids.has(binding.id);
  };
}

function eventName({ tree }: Source, handler: SyntaxNode): string {
  const [parameter] = arrayOf(handler, 'params');
  if (parameter?.type === 'Identifier') return nameOf(parameter);
  return tree.lookUp('event', handler) === undefined ? 'event' : 'sessionEvent';
}
