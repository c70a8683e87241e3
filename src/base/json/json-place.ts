import { findNodeAtLocation, parseTree, type Node } from 'jsonc-parser';

/** A place in a text, 0-based, and the length of the member on its line. */
export interface JsonPlace {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/**
 * Where a member or element of a JSON text stands: its key, else its value. A path that leads nowhere ends at the last
 * part that is there; an empty text at its start.
 */
export function placeInJson(text: string, path: readonly (string | number)[]): JsonPlace {
  const { offset, length } = rangeAt(parseTree(text), path);
  const before = text.slice(0, offset);
  const onFirstLine = text.slice(offset, offset + length).split('\n', 1)[0]?.length ?? 1;
  return {
    line: before.split('\n').length - 1,
    column: offset - before.lastIndexOf('\n') - 1,
    length: Math.max(1, onFirstLine),
  };
}

function rangeAt(root: Node | undefined, path: readonly (string | number)[]): { offset: number; length: number } {
  if (root === undefined) return { offset: 0, length: 1 };
  for (let depth = path.length; depth > 0; depth--) {
    const node = findNodeAtLocation(root, path.slice(0, depth));
    const key = node?.parent?.type === 'property' ? node.parent.children?.[0] : undefined;
    if (node !== undefined) return key ?? node;
  }
  return { offset: root.offset, length: 1 };
}
