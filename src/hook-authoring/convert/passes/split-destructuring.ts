import { printTree } from '../../syntax/print';
import { takenBy } from '../../syntax/roles';
import { propertyName, memberName, nameOf, nodeAt, type SyntaxNode } from '../../syntax/syntax-node';
import type { SyntaxTree } from '../../syntax/syntax-tree';
import type { Pass } from '../pass';

/** Members that are now elsewhere, so that a pattern cannot take them out of an event. */
const MOVED =
  /^(?:entries|sessionFile|newSessionFile|previousSessionFile|targetTurnIndex|entryIndex|cutPoint|previousSummary|messagesToSummarize|messagesToKeep|tokensBefore|model|resolveApiKey|previousCompactions|fromHook|userMessage)$/;

/** Splits `const { a, b } = event`: each moved member gets its own constant, so that the next pass can rename it. */
export const splitDestructuring: Pass = ({ tree, roles }) =>
  printTree(tree, (node, print) => {
    if (node.type !== 'VariableDeclaration') return undefined;
    const [declarator, ...more] = node['declarations'] as readonly SyntaxNode[];
    const pattern = nodeAt(declarator, 'id');
    const init = nodeAt(declarator, 'init');
    if (more.length > 0 || init === undefined || pattern?.type !== 'ObjectPattern') return undefined;
    const role = roles.of(init);
    const taken = takenBy(pattern);
    if (role?.type !== 'event' || !role.names.some(name => name.startsWith('session'))) return undefined;
    const moved = [...taken].filter(([name]) => MOVED.test(name));
    const isPlain = [...taken.values()].every(property => nodeAt(property, 'value')?.type === 'Identifier');
    if (moved.length === 0 || !isPlain || taken.size !== (pattern['properties'] as readonly unknown[]).length) {
      return undefined;
    }
    const kept = [...taken].filter(([name]) => !MOVED.test(name)).map(([, property]) => tree.source(property));
    const event = print(init);
    const named = moved.filter(
      ([name, property]) => name !== 'cutPoint' || !isOnlyIndex(tree, nodeAt(property, 'value')),
    );
    const lines = named.map(([name, property]) => `const ${nameOf(nodeAt(property, 'value'))} = ${event}.${name};`);
    if (kept.length > 0) lines.unshift(`const { ${kept.join(', ')} } = ${event};`);
    return lines.join(`\n${tree.indentAt(node.start)}`);
  });

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
