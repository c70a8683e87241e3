import { printTree } from '../../syntax/print';
import { takenBy, type Role } from '../../syntax/roles';
import {
  arrayOf,
  isFunction,
  propertyName,
  memberName,
  nameOf,
  nodeAt,
  type SyntaxNode,
} from '../../syntax/syntax-node';
import type { SyntaxTree } from '../../syntax/syntax-tree';
import { freeName, type Pass, type Source } from '../pass';

/** Members that are now elsewhere, so that a pattern cannot take them out of the event of a session. */
const MOVED_OF_EVENT =
  /^(?:entries|sessionFile|newSessionFile|previousSessionFile|targetTurnIndex|entryIndex|cutPoint|previousSummary|messagesToSummarize|messagesToKeep|tokensBefore|model|resolveApiKey|previousCompactions|fromHook|userMessage)$/;

/** The same for `ctx`. */
const MOVED_OF_CTX =
  /^(?:sessionFile|hasQueuedMessages|branch|exec|setModel|setThinkingLevel|thinkingLevel|resolveApiKey)$/;

/**
 * Splits `const { a, b } = event`, and the same in parameters: each moved member gets its own constant, so that the next
 * pass can rename it.
 */
export const splitDestructuring: Pass = source =>
  printTree(source.tree, (node, print) => {
    if (isFunction(node)) return printFunction(source, node, print);
    if (node.type !== 'VariableDeclaration') return undefined;
    const { tree, roles } = source;
    const [declarator, ...more] = node['declarations'] as readonly SyntaxNode[];
    const pattern = nodeAt(declarator, 'id');
    const init = nodeAt(declarator, 'init');
    const role = roles.of(init);
    if (more.length > 0 || init === undefined || pattern === undefined || role === undefined) return undefined;
    return constantsFor(source, pattern, role, print(init))?.join(`\n${tree.indentAt(node.start)}`);
  });

/** The statements that take the same members out of an object as a pattern; undefined when the pattern can stay. */
function constantsFor(source: Source, pattern: SyntaxNode, role: Role, object: string): readonly string[] | undefined {
  if (pattern.type !== 'ObjectPattern') return undefined;
  const { tree } = source;
  const taken = takenBy(pattern);
  const moved = [...taken].filter(([name]) => isMoved(source, role, name));
  const isPlain = [...taken.values()].every(property => nodeAt(property, 'value')?.type === 'Identifier');
  if (moved.length === 0 || !isPlain || taken.size !== arrayOf(pattern, 'properties').length) return undefined;
  const kept = [...taken].filter(([name]) => !isMoved(source, role, name)).map(([, property]) => tree.source(property));
  const named = moved.filter(
    ([name, property]) => name !== 'cutPoint' || !isOnlyIndex(tree, nodeAt(property, 'value')),
  );
  const lines = named.map(([name, property]) => `const ${nameOf(nodeAt(property, 'value'))} = ${object}.${name};`);
  return kept.length === 0 ? lines : [`const { ${kept.join(', ')} } = ${object};`, ...lines];
}

function isMoved({ dialect }: Source, role: Role, name: string): boolean {
  // A missing model was `null`, which the next pass looks after.
  if (role.type === 'ctx') return MOVED_OF_CTX.test(name) || (name === 'model' && dialect.none === null);
  return role.type === 'event' && role.names.some(each => each.startsWith('session')) && MOVED_OF_EVENT.test(name);
}

/** Prints a function whose parameters take moved members out of an event or a context. */
function printFunction(source: Source, node: SyntaxNode, print: (node: SyntaxNode) => string): string | undefined {
  const { tree, roles } = source;
  const body = nodeAt(node, 'body');
  const lines: string[] = [];
  let head = '';
  let at = node.start;
  for (const pattern of arrayOf(node, 'params')) {
    const role = roles.patterns.get(pattern);
    if (role === undefined) continue;
    // `previousSessionFile` could be `null` only in the old event `session`, whose parameters are already split.
    const mustSplit = [...takenBy(pattern).keys()].some(
      name => name !== 'previousSessionFile' && isMoved(source, role, name),
    );
    const name = freeName(tree, node, role.type);
    const constants = mustSplit ? constantsFor(source, pattern, role, name) : undefined;
    if (constants === undefined) continue;
    const type = nodeAt(pattern, 'typeAnnotation');
    head += `${tree.text.slice(at, pattern.start)}${name}${type === undefined ? '' : tree.source(type)}`;
    at = pattern.end;
    lines.push(...constants);
  }
  if (body === undefined || lines.length === 0) return undefined;
  head += tree.text.slice(at, body.start);
  const indent = `\n${tree.indentAt(node.start)}`;
  const first = lines.map(line => `${indent}  ${line}`).join('');
  if (body.type === 'BlockStatement') return `${head}{${first}${print(body).slice(1)}`;
  return `${head.replace(/\(\s*$/, '')}{${first}${indent}  return ${print(body)};${indent}}`;
}

/** Whether `cutPoint` is only read for the index of a summary, which the next pass writes without it. */
function isOnlyIndex(tree: SyntaxTree, id: SyntaxNode | undefined): boolean {
  const binding = id === undefined ? undefined : tree.lookUp(nameOf(id), id);
  return (
    binding !== undefined &&
    tree.references(binding).every(use => {
      const member = tree.parent(use);
      const property = member === undefined ? undefined : tree.parent(member);
      const isIndex = memberName(member) === 'firstKeptEntryIndex';
      return isIndex && property !== undefined && propertyName(property) === 'firstKeptEntryIndex';
    })
  );
}
