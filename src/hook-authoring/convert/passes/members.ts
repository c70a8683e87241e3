import { printTree } from '../../syntax/print';
import {
  arrayOf,
  memberName,
  nameOf,
  nodeAt,
  propertyName,
  unwrapped,
  type SyntaxNode,
} from '../../syntax/syntax-node';
import { eventMember, isCompactionEntry, printCompaction, type MemberPlace } from './event-members';
import { AGENT, type NeededCode, type Pass, type Source } from '../pass';
import { isDialog, nullReturnsIn, NullToUndefined } from './null-to-undefined';

/** Old member of `ctx` -> the code that replaces `ctx.<member>`. */
const CTX = new Map(
  Object.entries<(ctx: string) => string>({
    availableModels: ctx => `${ctx}.modelRegistry.getAvailable`,
    findModel: ctx => `${ctx}.modelRegistry.find`,
    hasQueuedMessages: ctx => `${ctx}.hasPendingMessages`,
    branch: ctx => `${ctx}.fork`,
    sessionFile: ctx => `${ctx}.sessionManager.getSessionFile()`,
  }),
);
/** Members of `ctx` that are now members of `pi`. */
const OF_PI = new Map(
  Object.entries<(pi: string) => string>({
    exec: pi => `${pi}.exec`,
    setModel: pi => `${pi}.setModel`,
    setThinkingLevel: pi => `${pi}.setThinkingLevel`,
    thinkingLevel: pi => `${pi}.getThinkingLevel()`,
  }),
);
/** Renamed methods of objects in `ctx`. */
const HELD = new Map([
  ['sessionManager.getPath', 'getBranch'],
  ['modelRegistry.getAvailableModels', 'getAvailable'],
]);
/** The modules that oh-my-pi has as members of `pi`. */
const INJECTED = new Map(
  Object.entries<readonly [name: string, module: string]>({
    typebox: ['typebox', 'typebox'],
    pi: ['codingAgent', AGENT],
  }),
);

/**
 * Renames members of `pi`, `ctx` and events. Where an old member returned `null` and code depends on that, the new code
 * does so as well (docs/dialects.md, C10, C14, C21, C23).
 */
export const renameMembers: Pass = (source, needs) => {
  const { tree, dialect } = source;
  const gaveNull = nullReturnsIn(source.roles);
  const nulls = dialect.none === null ? new NullToUndefined(tree, gaveNull) : undefined;
  const withNull = (node: SyntaxNode, text: string): string => {
    const isMissing = nulls !== undefined && gaveNull(node) && nulls.needsNull(outermost(source, node));
    return isMissing && text !== 'null' ? `(${text} ?? null)` : text;
  };
  const printed = new Set<SyntaxNode>();
  return printTree(tree, (node, print) => {
    const isCall = node.type === 'CallExpression' && gaveNull(node) && !printed.has(node);
    // The answer of an awaited dialog gets its null after the `await`.
    if (isCall && nulls?.isAwaited(node) === false && nulls.needsNull(node)) {
      printed.add(node);
      return isDialog(node) ? `${print(node)}.then(answer => answer ?? null)` : `(${print(node)} ?? null)`;
    }
    if (nulls?.becomesUndefined(node) === true) return 'undefined';
    const both = sameTwice(source, node, nulls);
    if (both !== undefined) return print(both);
    const entry = branchEntry(source, node);
    if (entry !== undefined) return entry;
    if (isCompactionEntry(source, node)) return printCompaction(source, node, print);
    const special = specialCall(source, node, print, needs);
    if (special !== undefined) return special;
    if (node.type === 'AwaitExpression' && nulls !== undefined) {
      const call = unwrapped(nodeAt(node, 'argument'));
      if (call === undefined || !gaveNull(call) || call.type !== 'CallExpression') return undefined;
      const text = `await ${print(call)}`;
      return nulls.needsNull(call)
        ? `${node === nodeAt(tree.parent(node), 'init') ? '' : '('}(${text}) ?? null${node === nodeAt(tree.parent(node), 'init') ? '' : ')'}`
        : text;
    }
    const isMissing = memberName(node) !== undefined && gaveNull(node);
    const text = memberText(source, node, print, needs) ?? (isMissing ? tree.source(node) : undefined);
    return text === undefined ? undefined : withNull(node, text);
  });
};

function outermost({ tree }: Source, node: SyntaxNode): SyntaxNode {
  const parent = tree.parent(node);
  return parent?.type === 'CallExpression' && nodeAt(parent, 'callee') === node ? parent : node;
}

function memberText(
  source: Source,
  node: SyntaxNode,
  print: (node: SyntaxNode) => string,
  needs: NeededCode,
): string | undefined {
  const { roles } = source;
  const member = memberName(node);
  const object = nodeAt(node, 'object');
  if (member === undefined || object === undefined || node['computed'] === true) return undefined;
  const role = roles.of(object);
  if (role?.type === 'ctx') {
    if (member === 'resolveApiKey') return apiKeyResolver(print(object), needs);
    const pi = OF_PI.has(member) ? roles.nameInSight('pi', node) : undefined;
    if (pi !== undefined) return OF_PI.get(member)?.(pi);
    return CTX.get(member)?.(print(object));
  }
  if (role?.type === 'event') {
    const place: MemberPlace = { node, object, member, names: role.names };
    return eventMember(source, place, needs);
  }
  const injected = role?.type === 'pi' ? INJECTED.get(member) : undefined;
  if (injected !== undefined) {
    const [name, module] = injected;
    needs.imports.set(module, new Set([...(needs.imports.get(module) ?? []), `* as ${name}`]));
    return name;
  }
  const owner = nodeAt(object, 'object');
  if (member === 'getApiKey' && memberName(object) === 'modelRegistry' && owner && roles.of(owner)?.type === 'ctx') {
    return apiKeyResolver(print(owner), needs);
  }
  const held = HELD.get(`${memberName(object) ?? ''}.${member}`);
  if (held !== undefined) return `${print(object)}.${held}`;
  return undefined;
}

/** pi now returns API keys by provider, not by model. */
function apiKeyResolver(ctx: string, needs: NeededCode): string {
  needs.helpers.add('apiKeyResolver');
  return `apiKeyResolver(${ctx})`;
}

/** Rewrites calls whose arguments or results have changed: `send`, `sendMessage`, `getAllTools`, `ui.custom`. */
function specialCall(
  source: Source,
  node: SyntaxNode,
  print: (node: SyntaxNode) => string,
  needs: NeededCode,
): string | undefined {
  if (node.type !== 'CallExpression') return undefined;
  const callee = nodeAt(node, 'callee');
  const object = nodeAt(callee, 'object');
  const args = arrayOf(node, 'arguments');
  const [first, second] = args;
  if (object === undefined) return undefined;
  const method = memberName(callee);
  if (method === 'getAllTools' && source.listsToolNames && source.roles.of(object)?.type === 'pi') {
    return `${print(object)}.getAllTools().map(({ name }) => name)`;
  }
  if (first === undefined) return undefined;
  if (source.roles.of(object)?.type === 'pi') {
    if (method === 'send' && args.length === 1) {
      return `${print(object)}.sendUserMessage(${print(first)}, { deliverAs: 'steer' })`;
    }
    if (method !== 'sendMessage') return undefined;
    const options = deliveryOf(source, first, second);
    return options === undefined ? undefined : `${print(object)}.sendMessage(${[print(first), ...options].join(', ')})`;
  }
  return method === 'custom' && source.roles.of(object)?.type === 'ui'
    ? customCall(source, node, print, needs)
    : undefined;
}

/**
 * The arguments of `sendMessage` after the message; undefined when they stay as they are. `triggerTurn` is left out
 * rather than set to false, as false would make the message wait for the end of the turn (docs/dialects.md, P13).
 */
function deliveryOf(
  { dialect, listensToSession, tree }: Source,
  message: SyntaxNode,
  second: SyntaxNode | undefined,
): readonly string[] | undefined {
  const starts = ['{ triggerTurn: true }'];
  if (second?.type === 'BooleanLiteral') return second['value'] === true ? starts : [];
  if (second?.type === 'ObjectExpression') {
    const isFalse = (property: SyntaxNode): boolean =>
      propertyName(property) === 'triggerTurn' && nodeAt(property, 'value')?.['value'] === false;
    const properties = arrayOf(second, 'properties');
    if (!properties.some(isFalse)) return undefined;
    const kept = properties.filter(property => !isFalse(property)).map(property => tree.source(property));
    return kept.length === 0 ? [] : [`{ ${kept.join(', ')} }`];
  }
  // Without the argument, only hooks of the tree dialect that handle `session` start a run, and only for messages with
  // `display` (docs/dialects.md, D8).
  if (second !== undefined || dialect.id !== 'tree' || !listensToSession) return undefined;
  return message.type === 'ObjectExpression' && /\bdisplay\s*:\s*true\b/.test(tree.source(message))
    ? starts
    : undefined;
}

/** Rewrites the two older forms of `ui.custom` (docs/dialects.md, C11). */
function customCall(
  { tree, roles, dialect }: Source,
  node: SyntaxNode,
  print: (node: SyntaxNode) => string,
  needs: NeededCode,
): string | undefined {
  const [first, second] = arrayOf(node, 'arguments');
  if (first === undefined) return undefined;
  const factory = roles.functionOf(first);
  if (factory === undefined) {
    const isObject = first.type === 'NewExpression' || first.type === 'ObjectExpression' || first.type === 'Identifier';
    const ui = nodeAt(nodeAt(node, 'callee'), 'object');
    if (dialect.none !== null || !isObject || ui === undefined) return undefined;
    needs.helpers.add('mountComponent');
    return `mountComponent(${[ui, first, ...(second === undefined ? [] : [second])].map(print).join(', ')})`;
  }
  const parameters = arrayOf(factory, 'params');
  const [, , third] = parameters;
  const isDone =
    parameters.length === 3 && (/done|resolve|close|cb/i.test(nameOf(third)) || !/^_*(?:kb|key)/i.test(nameOf(third)));
  if (!isDone || factory !== unwrapped(first) || third === undefined || dialect.thirdParameter !== 'done') {
    return undefined;
  }
  const printed = print(first);
  const at = third.start - first.start;
  // The place of the third parameter is only valid if printing did not change the text before it.
  return printed.slice(0, at) === tree.text.slice(first.start, third.start)
    ? `${print(nodeAt(node, 'callee') ?? node)}(${printed.slice(0, at)}_keybindings, ${printed.slice(at)}${second === undefined ? '' : `, ${print(second)}`})`
    : undefined;
}

/** Rewrites `event.entries[event.targetTurnIndex]` and the like: the entry from which a branch starts. */
function branchEntry({ roles, tree }: Source, node: SyntaxNode): string | undefined {
  const index = unwrapped(nodeAt(node, 'property'));
  if (node['computed'] !== true || !/^(?:targetTurnIndex|entryIndex)$/.test(memberName(index) ?? '')) return undefined;
  const event = nodeAt(index, 'object');
  const role = roles.of(event);
  const ctx = roles.nameInSight('ctx', node);
  if (role?.type !== 'event' || ctx === undefined || event === undefined) return undefined;
  if (!role.names.every(name => /^session_(?:before_)?(?:fork|branch)$/.test(name))) return undefined;
  return `${ctx}.sessionManager.getEntry(${tree.source(event)}.entryId)`;
}

/** In `x === null || x === undefined`, both sides would become the same: returns the side to keep. */
function sameTwice({ tree }: Source, node: SyntaxNode, nulls: NullToUndefined | undefined): SyntaxNode | undefined {
  if (node.type !== 'LogicalExpression' || nulls === undefined) return undefined;
  const [left, right] = [nodeAt(node, 'left'), nodeAt(node, 'right')];
  const gone = [left, right].find(side => {
    const literal = nodeAt(side, 'right');
    return side?.type === 'BinaryExpression' && literal !== undefined && nulls.becomesUndefined(literal);
  });
  const kept = gone === left ? right : left;
  if (gone === undefined || kept === undefined) return undefined;
  return tree.source(gone).replace(/\bnull$/, 'undefined') === tree.source(kept) ? kept : undefined;
}
