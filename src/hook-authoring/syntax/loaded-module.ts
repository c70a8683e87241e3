import { arrayOf, nameOf, nodeAt, type SyntaxNode } from './syntax-node';

/** The first argument of `require(…)`, `import(…)` or the type `import('…')`; undefined for all other nodes. */
export function moduleLoadedBy(node: SyntaxNode | undefined): SyntaxNode | undefined {
  if (node?.type === 'TSImportType') return nodeAt(node, 'argument');
  if (node?.type === 'ImportExpression') return nodeAt(node, 'source');
  const callee = node?.type === 'CallExpression' ? nodeAt(node, 'callee') : undefined;
  const isLoad = callee?.type === 'Import' || (callee?.type === 'Identifier' && nameOf(callee) === 'require');
  return isLoad ? arrayOf(node, 'arguments')[0] : undefined;
}
