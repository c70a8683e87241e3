import { parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser';

/** A JSON text of another program, with comments and trailing commas where it has them. Each change leaves all else as it is. */
export class JsonText {
  private constructor(
    readonly text: string,
    private readonly root: Node,
  ) {}

  /** @throws Error that says what is wrong and where, without quoting the text */
  static parse(text: string): JsonText {
    const errors: ParseError[] = [];
    // The offsets stay those of the text.
    const root = parseTree(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true });
    const [first] = errors;
    if (first !== undefined) {
      const before = text.slice(0, first.offset).split('\n');
      const what = printParseErrorCode(first.error).replace(/(?<=[a-z])[A-Z]/g, letter => ` ${letter.toLowerCase()}`);
      throw new Error(`${what} at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`);
    }
    if (root?.type !== 'object') throw new Error('it does not hold a JSON object');
    return new JsonText(text, root);
  }

  /** The value at a path; undefined where there is none. Of two members with one name, the last counts. */
  value(path: JsonPath): unknown {
    const node = this.nodeAt(path);
    return node === undefined ? undefined : valueOf(node);
  }

  /** Adds a value at the end of a list, or as last member of an object; lists and objects on the way are made. */
  append(path: JsonPath, value: unknown): JsonText {
    const [container, rest] = this.deepest(path);
    const [key, ...below] = rest;
    const isList = container.type === 'array';
    const inner = isList ? [...rest].slice(1) : below;
    const whole = inner.reduceRight<unknown>((made, part) => (part === END ? [made] : { [part]: made }), value);
    return this.withLast(container, isList ? undefined : String(key), whole);
  }

  /** Removes the member or item at a path, and the lists and objects around it that hold nothing else. */
  remove(path: JsonPath): JsonText {
    const node = this.nodeAt(path);
    const parent = node?.parent?.type === 'property' ? node.parent.parent : node?.parent;
    if (node === undefined || parent === undefined) return this;
    const item = node.parent?.type === 'property' ? node.parent : node;
    const items = parent.children ?? [];
    if (items.length === 1 && parent !== this.root) return this.remove(path.slice(0, -1));
    const at = items.indexOf(item);
    const [before, after] = [items[at - 1], items[at + 1]];
    if (before !== undefined) return this.withoutLater(before, item, after === undefined);
    if (after !== undefined) return this.edited([{ from: item.offset, to: after.offset, by: '' }]);
    return this.withoutOnly(item, parent);
  }

  private withLast(container: Node, key: string | undefined, value: unknown): JsonText {
    const end = container.offset + container.length - 1;
    const last = container.children?.at(-1);
    const first = container.children?.[0];
    const inside = this.text.slice(container.offset, end);
    const isOnLines = inside.includes('\n') || (first === undefined && container.length <= 3);
    const { eol, unit } = this.style();
    const indent = first === undefined ? this.indentAt(container.offset) + unit : this.indentAt(first.offset);
    const json = isOnLines ? JSON.stringify(value, null, unit) : JSON.stringify(value);
    const name = key === undefined ? '' : `${JSON.stringify(key)}:${isOnLines || /:\s/.test(this.text) ? ' ' : ''}`;
    const item = `${name}${json.replaceAll('\n', `${eol}${indent}`)}`;
    // After the last comment, before the white space in front of the bracket.
    const to = container.offset + inside.trimEnd().length;
    const separator = isOnLines ? `${eol}${indent}` : /,\s/.test(inside) && last !== undefined ? ' ' : '';
    if (last === undefined) {
      const isEmpty = inside.slice(1).trim() === '';
      const closing = isOnLines && isEmpty ? `${eol}${this.indentAt(container.offset)}` : '';
      return this.edited([{ from: to, to: isEmpty ? end : to, by: `${separator}${item}${closing}` }]);
    }
    const lastEnd = last.offset + last.length;
    // Where the last one has a comma behind it, the new one has, too.
    if (this.commaAfter(last, end) !== undefined) return this.edited([{ from: to, to, by: `${separator}${item},` }]);
    return this.edited([
      { from: lastEnd, to: lastEnd, by: ',' },
      { from: to, to, by: `${separator}${item}` },
    ]);
  }

  /** Without an item that follows another; `isLast`: the comma before it goes, else the one after it. */
  private withoutLater(before: Node, item: Node, isLast: boolean): JsonText {
    const start = item.offset - trailingSpace(this.text.slice(0, item.offset));
    const end = item.offset + item.length;
    if (!isLast) {
      const comma = this.commaAfter(item, this.text.length) ?? end - 1;
      return this.edited([{ from: start, to: comma + 1, by: '' }]);
    }
    const own = this.commaAfter(item, this.text.length);
    // The item before keeps its comma where the list has one at its end.
    if (own !== undefined) return this.edited([{ from: start, to: own + 1, by: '' }]);
    const comma = this.commaAfter(before, item.offset) ?? start;
    if (comma + 1 >= start) return this.edited([{ from: comma, to: end, by: '' }]);
    return this.edited([
      { from: comma, to: comma + 1, by: '' },
      { from: start, to: end, by: '' },
    ]);
  }

  private withoutOnly(item: Node, parent: Node): JsonText {
    const last = parent.offset + parent.length - 1;
    const comma = this.commaAfter(item, last);
    const start = item.offset - trailingSpace(this.text.slice(0, item.offset));
    const end = comma === undefined ? item.offset + item.length : comma + 1;
    const rest = this.text.slice(end, last);
    const isEmpty = rest.trim() === '' && start === parent.offset + 1;
    return this.edited([{ from: start, to: isEmpty ? last : end, by: '' }]);
  }

  /** Offset of the comma behind a node, before `end`; comments may stand between. */
  private commaAfter(node: Node, end: number): number | undefined {
    const between = /^(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*,/.exec(this.text.slice(node.offset + node.length, end));
    return between === null ? undefined : node.offset + node.length + between[0].length - 1;
  }

  private edited(edits: readonly { readonly from: number; readonly to: number; readonly by: string }[]): JsonText {
    const changed = edits.reduceRight((text, { from, to, by }) => text.slice(0, from) + by + text.slice(to), this.text);
    return JsonText.parse(changed);
  }

  private style(): { readonly eol: string; readonly unit: string } {
    return { eol: /\r\n|\n/.exec(this.text)?.[0] ?? '\n', unit: /^([ \t]+)\S/m.exec(this.text)?.[1] ?? '  ' };
  }

  /** The white space at the start of the line of an offset. */
  private indentAt(offset: number): string {
    const start = this.text.lastIndexOf('\n', offset - 1) + 1;
    return /^[ \t]*/.exec(this.text.slice(start, offset))?.[0] ?? '';
  }

  private nodeAt(path: JsonPath): Node | undefined {
    const [node, rest] = this.deepest(path);
    return rest.length === 0 ? node : undefined;
  }

  /** The last node on a path, and what of the path is below it. */
  private deepest(path: JsonPath): readonly [Node, JsonPath] {
    let node = this.root;
    for (const [depth, part] of path.entries()) {
      const next = childAt(node, part);
      if (next === undefined) return [node, path.slice(depth)];
      node = next;
    }
    return [node, []];
  }
}

/** Names of members and indices of items. {@link END}: behind the last item. */
export type JsonPath = readonly (string | number)[];

/** In place of an index: behind the last item of a list. */
export const END = -1;

function childAt(node: Node, part: string | number): Node | undefined {
  if (typeof part === 'number') return node.type === 'array' ? node.children?.[part] : undefined;
  if (node.type !== 'object') return undefined;
  return node.children?.findLast(property => property.children?.[0]?.value === part)?.children?.[1];
}

function valueOf(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(valueOf);
  if (node.type !== 'object') return node.value as unknown;
  return Object.fromEntries(
    (node.children ?? []).map(({ children = [] }) => {
      const [key, value] = children;
      return [String(key?.value), value === undefined ? null : valueOf(value)];
    }),
  );
}

function trailingSpace(text: string): number {
  return text.length - text.trimEnd().length;
}
