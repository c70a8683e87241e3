import {
  arrayOf,
  propertyName,
  memberName,
  nameOf,
  nodeAt,
  propertyNamed,
  unwrapped,
  type SyntaxNode,
} from '../../syntax/syntax-node';
import { initialValue } from '../../syntax/roles';
import type { NeededCode, Source } from '../pass';

/** A place that reads `event.member`, with the names of the events that it may be about. */
export interface MemberPlace {
  readonly node: SyntaxNode;
  readonly object: SyntaxNode;
  readonly member: string;
  readonly names: readonly string[];
}

const IN_PREPARATION = new Set(['previousSummary', 'messagesToSummarize', 'tokensBefore', 'turnPrefixMessages']);

/** The code for a member of an event in the newest dialect; undefined when it stays the same or has no equivalent. */
export function eventMember(source: Source, place: MemberPlace, needs: NeededCode): string | undefined {
  const { tree, roles } = source;
  const { node, object, member } = place;
  const event = tree.source(object);
  const name = place.names.length === 1 ? (place.names[0] ?? '') : '';
  // A helper function that does not get the context cannot read the session.
  const ctx = roles.nameInSight('ctx', node);
  if (/^session/.test(name) && ctx !== undefined) {
    const session = sessionMember(source, place, ctx);
    if (session !== undefined) return session;
  }
  switch (name) {
    case 'session_before_compact':
      return beforeCompact({ event, ctx, ...place }, needs);
    case 'session_compact':
      if (member === 'tokensBefore') return `${event}.compactionEntry.tokensBefore`;
      return member === 'fromHook' ? `${event}.fromExtension` : undefined;
    case 'session_tree':
      return member === 'fromHook' ? `${event}.fromExtension` : undefined;
    case 'before_agent_start':
      if (member !== 'userMessage') return undefined;
      return `{ role: 'user' as const, content: [{ type: 'text' as const, text: ${event}.prompt }, ...(${event}.images ?? [])], timestamp: Date.now() }`;
    default:
      return undefined;
  }
}

/** The code for members that every `session` event had, and for the entry of a branch. */
function sessionMember({ tree }: Source, place: MemberPlace, ctx: string): string | undefined {
  const { node, object, member, names } = place;
  const [name = ''] = names;
  const parent = tree.parent(node);
  const manager = `${ctx}.sessionManager`;
  const position = `${manager}.getBranch().findIndex(({ id }) => id === ${tree.source(object)}.entryId)`;
  switch (member) {
    case 'sessionFile':
      return `${manager}.getSessionFile()`;
    case 'newSessionFile':
      return name === 'session_start' ? `${manager}.getSessionFile()` : undefined;
    case 'previousSessionFile':
      return name === 'session_start' ? `${tree.source(object)}.previousSessionFile` : 'null';
    case 'entries':
      if (memberName(parent) === 'length' && nodeAt(parent, 'object') === node) return undefined;
      return isWalked(tree.parent(node), node)
        ? `${manager}.getBranch()`
        : `[${manager}.getHeader(), ...${manager}.getBranch()]`;
    case 'targetTurnIndex':
      return name === 'session_before_fork' ? `(${position} + 1)` : undefined;
    case 'entryIndex':
      return name === 'session_before_fork' ? position : undefined;
    default:
      return undefined;
  }
}

/**
 * Whether a list of entries is only searched or looped over. Such code looks at the types of entries, so it does not
 * matter to it whether the session header is in the list.
 */
function isWalked(parent: SyntaxNode | undefined, node: SyntaxNode): boolean {
  if (parent?.type === 'ForOfStatement') return nodeAt(parent, 'right') === node;
  return /^(?:filter|some|find|findLast)$/.test(memberName(parent) ?? '') && nodeAt(parent, 'object') === node;
}

interface CompactPlace extends MemberPlace {
  readonly event: string;
  readonly ctx: string | undefined;
}

function beforeCompact({ event, ctx, member }: CompactPlace, needs: NeededCode): string | undefined {
  if (IN_PREPARATION.has(member)) return `${event}.preparation.${member}`;
  switch (member) {
    case 'model':
      return ctx === undefined ? undefined : `${ctx}.model!`;
    case 'resolveApiKey':
      if (ctx === undefined) return undefined;
      needs.helpers.add('apiKeyResolver');
      return `apiKeyResolver(${ctx})`;
    case 'previousCompactions':
      return `${event}.branchEntries.filter(entry => entry.type === 'compaction').reverse()`;
    case 'messagesToKeep':
      needs.helpers.add('messagesToKeep');
      return `messagesToKeep(${event})`;
    default:
      return undefined;
  }
}

/** Whether a property or variable holds a summary in V1's form, inside a handler of a compaction. */
export function isCompactionEntry({ tree, roles }: Source, node: SyntaxNode): boolean {
  if (node.type === 'ObjectProperty' && propertyName(node) === 'compactionEntry') {
    const value = unwrapped(nodeAt(node, 'value'));
    return summaryIn(tree, value) !== undefined && isInCompaction();
  }
  if (node.type === 'VariableDeclarator') return isNamedSummary() && isInCompaction();
  return false;

  function isInCompaction(): boolean {
    for (let at = tree.functionAround(node); at !== undefined; at = tree.functionAround(at)) {
      const role = roles.of(arrayOf(at, 'params')[0]) ?? roles.patterns.get(arrayOf(at, 'params')[0] ?? at);
      if (role?.type === 'event' && role.names.includes('session_before_compact')) return true;
    }
    return false;
  }

  function isNamedSummary(): boolean {
    const init = unwrapped(nodeAt(node, 'init'));
    return init?.type === 'ObjectExpression' && propertyNamed(init, 'firstKeptEntryIndex') !== undefined;
  }
}

function summaryIn(tree: Source['tree'], value: SyntaxNode | undefined): SyntaxNode | undefined {
  const object = value === undefined ? undefined : initialValue(tree, value);
  return propertyNamed(object, 'firstKeptEntryIndex') === undefined ? undefined : object;
}

/**
 * Rewrites `compactionEntry: { …firstKeptEntryIndex }` as `compaction: { …firstKeptEntryId }` (docs/dialects.md, C7).
 */
export function printCompaction(
  source: Source,
  node: SyntaxNode,
  print: (node: SyntaxNode) => string,
): string | undefined {
  const { tree } = source;
  if (node.type === 'VariableDeclarator') {
    const init = unwrapped(nodeAt(node, 'init'));
    const printed = init === undefined ? undefined : summaryText(source, init, print);
    return printed === undefined ? undefined : `${nameOf(nodeAt(node, 'id'))} = ${printed}`;
  }
  const value = unwrapped(nodeAt(node, 'value'));
  if (value?.type === 'Identifier') {
    const object = summaryIn(tree, value);
    return object === undefined || summaryText(source, object, print) === undefined
      ? undefined
      : `compaction: ${nameOf(value)}`;
  }
  const printed = value === undefined ? undefined : summaryText(source, value, print);
  return printed === undefined ? undefined : `compaction: ${printed}`;
}

function summaryText(source: Source, object: SyntaxNode, print: (node: SyntaxNode) => string): string | undefined {
  const { tree, roles } = source;
  const properties = arrayOf(object, 'properties');
  const kept = properties.find(property => propertyName(property) === 'firstKeptEntryIndex');
  const value = unwrapped(nodeAt(kept, 'value'));
  if (value === undefined) return undefined;
  const id = keptId(tree.source(value), roles.nameInSight('event', object));
  if (id === undefined) return undefined;
  let at = object.start;
  let text = '';
  for (const property of properties) {
    const name = propertyName(property);
    if (name === 'type' || name === 'timestamp') {
      const before = tree.text.slice(at, property.start);
      const isOwnLine = /\n[ \t]*$/.test(before);
      text += before.replace(/\n[ \t]*$/, '');
      at = property.end + ((isOwnLine ? /^\s*,/ : /^\s*,[ \t]*/).exec(tree.text.slice(property.end))?.[0].length ?? 0);
      continue;
    }
    text += tree.text.slice(at, property.start) + (property === kept ? `firstKeptEntryId: ${id}` : print(property));
    at = property.end;
  }
  return text + tree.text.slice(at, object.end);
}

/** The code for the id of the entry that an index refers to. `''` keeps no entry; undefined when this is not known. */
function keptId(index: string, event: string | undefined): string | undefined {
  if (event === undefined) return undefined;
  if (/(?:^|\.)cutPoint\.firstKeptEntryIndex$/.test(index)) return `${event}.preparation.firstKeptEntryId`;
  if (/(?:^|\.)entries\.length$/.test(index)) return `''`;
  return undefined;
}
