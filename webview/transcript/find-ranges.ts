/** Parts of the page that are no text of the conversation. */
const NOT_SEARCHED =
  'button:not(.link), .code-head, .sr-only, [aria-hidden="true"], hookline-time, textarea, annotation';
/** Places marked at once, so that a search for one letter does not hold up the page. */
const MOST = 2000;

/** Where `pattern` (global) matches in the text that is drawn below `root`, over the borders of inline elements. */
export function rangesIn(root: Element, pattern: RegExp, most = MOST): Range[] {
  const nodes = textNodes(root);
  const starts: number[] = [];
  let text = '';
  for (const node of nodes) {
    starts.push(text.length);
    text += node.data;
  }
  const ranges: Range[] = [];
  let index = 0;
  for (const match of text.matchAll(pattern)) {
    if (ranges.length >= most) break;
    while (index + 1 < nodes.length && (starts[index + 1] ?? 0) <= match.index) index += 1;
    const range = rangeAt(nodes, starts, index, match);
    if (range !== undefined) ranges.push(range);
  }
  return ranges;
}

function rangeAt(
  nodes: readonly Text[],
  starts: readonly number[],
  index: number,
  match: RegExpExecArray,
): Range | undefined {
  const end = match.index + match[0].length;
  let last = index;
  while (last + 1 < nodes.length && (starts[last + 1] ?? 0) < end) last += 1;
  const from = nodes[index];
  const to = nodes[last];
  if (from === undefined || to === undefined) return undefined;
  const range = document.createRange();
  range.setStart(from, match.index - (starts[index] ?? 0));
  range.setEnd(to, end - (starts[last] ?? 0));
  return range;
}

function textNodes(root: Element): Text[] {
  const nodes: Text[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, node => {
    if (node instanceof Text) return NodeFilter.FILTER_ACCEPT;
    return node instanceof Element && node.matches(NOT_SEARCHED) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP;
  });
  while (walker.nextNode() !== null) if (walker.currentNode instanceof Text) nodes.push(walker.currentNode);
  return nodes;
}
