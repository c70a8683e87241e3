import { printTree } from '../../syntax/print';
import { takenBy, type WrittenCall } from '../../syntax/roles';
import {
  arrayOf,
  isFunction,
  memberName,
  nameOf,
  nodeAt,
  propertyNamed,
  unwrapped,
  type SyntaxNode,
} from '../../syntax/syntax-node';
import { freeName, type Pass, type Source } from '../pass';

interface Command {
  readonly handler: SyntaxNode;
  readonly body: SyntaxNode;
  readonly isV2: boolean;
  /** Name of the context: the written one, or `ctx` if the handler has no parameter. */
  readonly ctx: string;
  readonly args: string;
  /** Name for a constant with the words of the arguments; undefined when the handler does not read them. */
  readonly words: string | undefined;
  readonly readsArgs: boolean;
}

/**
 * Gives handlers of commands the typed arguments as first parameter and the context as second (docs/dialects.md, C12,
 * C13). A returned status becomes a notification.
 */
export const convertCommands: Pass = (source, needs) => {
  const { tree, roles } = source;
  const commands = new Map<SyntaxNode, Command>();
  const methods = new Set<SyntaxNode>();
  for (const call of roles.calls) {
    const command = commandIn(source, call);
    if (command === undefined) continue;
    commands.set(command.handler, command);
    if (command.words !== undefined) needs.helpers.add('splitArguments');
    const property = nodeAt(nodeAt(call.call, 'callee'), 'property');
    if (command.isV2 && property !== undefined) methods.add(property);
  }
  const commandAround = (node: SyntaxNode): Command | undefined => {
    for (let at = tree.functionAround(node); at !== undefined; at = tree.functionAround(at)) {
      const found = commands.get(at);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return printTree(tree, (node, print) => {
    if (methods.has(node)) return 'registerCommand';
    const own = commands.get(node);
    if (own !== undefined) return printHandler(source, own, print);
    const member = memberName(node);
    if (isTyped(member) && roles.of(nodeAt(node, 'object'))?.type === 'ctx') {
      const around = commandAround(node);
      if (around === undefined) return undefined;
      return member === 'argsRaw' || (member === 'args' && !around.isV2) ? around.args : around.words;
    }
    if (node.type !== 'ReturnStatement') return undefined;
    const around = commands.get(tree.functionAround(node) ?? node);
    return around?.isV2 === true ? printStatus(source, { node, command: around }, print) : undefined;
  });
};

function commandIn(source: Source, { call, method, handler }: WrittenCall): Command | undefined {
  const { tree, roles } = source;
  const isV2 = method === 'command';
  const parameters = arrayOf(handler, 'params');
  const body = nodeAt(handler, 'body');
  if (handler === undefined || body === undefined || (!isV2 && method !== 'registerCommand')) return undefined;
  const [parameter] = parameters;
  if (!isV2 && (parameters.length !== 1 || !takesContext(source, parameter))) return undefined;
  // A function that is not written inline can be called elsewhere, so its parameters must not change.
  const inline = unwrapped(nodeAt(propertyNamed(arrayOf(call, 'arguments')[1], 'handler'), 'value'));
  const isInline = inline === handler || handler.type === 'ObjectMethod';
  if (!isInline || !canStay(parameter, isV2)) return undefined;
  const read = tree
    .within(handler)
    .filter(node => roles.of(nodeAt(node, 'object'))?.type === 'ctx')
    .map(memberName);
  const readsWords = read.includes('argv') || (isV2 && read.includes('args'));
  return {
    handler,
    body,
    isV2,
    ctx: parameter === undefined ? 'ctx' : nameOf(parameter),
    args: freeName(tree, handler, 'args', 'typed', 'argumentText'),
    words: readsWords ? freeName(tree, handler, 'words', 'argumentWords') : undefined,
    readsArgs: readsWords || read.includes('argsRaw') || read.includes('args'),
  };
}

/** Whether the parameter for the context stays as it is: a pattern must not take the arguments out of it. */
function canStay(parameter: SyntaxNode | undefined, isV2: boolean): boolean {
  if (parameter === undefined || parameter.type === 'Identifier') return true;
  return parameter.type === 'ObjectPattern' && !isV2 && ![...takenBy(parameter).keys()].some(isTyped);
}

/** Whether a member of the context has the text that the user typed. */
function isTyped(member: string | undefined): boolean {
  return member === 'args' || member === 'argsRaw' || member === 'argv';
}

/** Whether the only parameter of a command's handler is the context. */
export function takesContext(
  { roles, dialect }: Pick<Source, 'roles' | 'dialect'>,
  parameter: SyntaxNode | undefined,
): boolean {
  if (roles.of(parameter)?.type === 'ctx' || parameter?.type === 'ObjectPattern') return true;
  const isText = /^_?(?:args?|argv?|input|text|prompt)$/.test(nameOf(parameter));
  return !isText && dialect.onlyParameter === 'ctx';
}

function printHandler({ tree }: Source, command: Command, print: (node: SyntaxNode) => string): string {
  const { handler, body, args, words, readsArgs } = command;
  const [parameter] = arrayOf(handler, 'params');
  const name = readsArgs ? args : `_${args}`;
  const own = parameter === undefined ? command.ctx : tree.source(parameter);
  const written = tree.text.slice(handler.start, body.start);
  const bare = new RegExp(`(^|[^\\w$])${own.replaceAll('$', '\\$')}(\\s*=>)`);
  const head =
    parameter === undefined
      ? written.replace(/\(\s*\)/, `(${name}, ${own})`)
      : /\(/.test(written.slice(0, parameter.start - handler.start + 1))
        ? `${written.slice(0, parameter.start - handler.start)}${name}, ${written.slice(parameter.start - handler.start)}`
        : written.replace(bare, `$1(${name}, ${own})$2`);
  const indent = tree.indentAt(handler.start);
  const split = words === undefined ? '' : `const ${words} = splitArguments(${args});`;
  if (body.type === 'BlockStatement') {
    const printed = print(body);
    return split === '' ? `${head}${printed}` : `${head}{\n${indent}  ${split}${printed.slice(1)}`;
  }
  // The bracket before an object literal is part of the head.
  const status = command.isV2 ? statusOf(body) : undefined;
  const open = head.replace(/\(\s*$/, '');
  const value = status === undefined ? `return ${print(body)}` : notice(command, status, print);
  const tail = tree.text.slice(body.end, handler.end);
  if (status === undefined && split === '') return `${head}${print(body)}${tail}`;
  return `${open}{\n${indent}  ${split === '' ? '' : `${split}\n${indent}  `}${value};\n${indent}}`;
}

function printStatus(
  { tree }: Source,
  { node, command }: { readonly node: SyntaxNode; readonly command: Command },
  print: (node: SyntaxNode) => string,
): string | undefined {
  const status = statusOf(nodeAt(node, 'argument'));
  if (status === undefined) return undefined;
  const call = `${notice(command, status, print)};`;
  const parent = tree.parent(node);
  if (parent === command.body && arrayOf(parent, 'body').at(-1) === node) return call;
  if (parent?.type === 'BlockStatement') return `${call}\n${tree.indentAt(node.start)}return;`;
  const indent = tree.indentAt(node.start);
  return `{\n${indent}  ${call}\n${indent}  return;\n${indent}}`;
}

function statusOf(argument: SyntaxNode | undefined): SyntaxNode | undefined {
  const object = unwrapped(argument);
  const [only, ...others] = arrayOf(object, 'properties');
  if (object?.type !== 'ObjectExpression' || only === undefined || others.length > 0 || isFunction(only)) {
    return undefined;
  }
  return nodeAt(propertyNamed(object, 'status'), 'value');
}

function notice({ ctx }: Command, status: SyntaxNode, print: (node: SyntaxNode) => string): string {
  return `${ctx}.ui.notify(${print(status)}, 'info')`;
}
