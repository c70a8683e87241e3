import { childrenOf, type SyntaxNode } from './syntax-node';
import type { SyntaxTree } from './syntax-tree';

/** Returns the new text of a node. Undefined keeps its text and applies the rule to its children. */
export type PrintRule = (node: SyntaxNode, print: (inner: SyntaxNode) => string) => string | undefined;

/** Prints a tree with the changes of the rule; all other text stays as in the source, with comments and formatting. */
export function printTree(tree: SyntaxTree, rule: PrintRule): string {
  const { text, program } = tree;
  const print = printerFor(tree, rule);
  return `${text.slice(0, program.start)}${print(program)}${text.slice(program.end)}`;
}

function printerFor(tree: SyntaxTree, rule: PrintRule): (node: SyntaxNode) => string {
  const print = (node: SyntaxNode): string => rule(node, print) ?? around(node, print);
  const around = (node: SyntaxNode, inner: (child: SyntaxNode) => string): string => {
    let at = node.start;
    let result = '';
    for (const child of childrenOf(node)) {
      if (child.start < at) continue;
      result += tree.text.slice(at, child.start) + inner(child);
      at = child.end;
    }
    return result + tree.text.slice(at, node.end);
  };
  return print;
}
