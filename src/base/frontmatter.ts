/** A text with a YAML head between two `---` lines, taken apart. */
export interface Frontmatter {
  readonly frontmatter: Record<string, unknown>;
  readonly body: string;
}

/** The head is not what this reader understands; `line` is 1-based in the whole text. */
export class FrontmatterError extends Error {
  constructor(
    readonly line: number,
    readonly complaint: string,
  ) {
    super(`Frontmatter, line ${line}: ${complaint}`);
  }
}

const HEAD = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/;

/**
 * `parseFrontmatter` of reference section 2.2. Understands the YAML that skill and prompt files are written in: nested
 * maps and lists, flow lists, quoted and block scalars. Throws {@link FrontmatterError} when the head is something else.
 */
export function parseFrontmatter(content: string): Frontmatter {
  const match = HEAD.exec(content);
  if (match === null) return { frontmatter: {}, body: content };
  const reader = new Reader((match[1] ?? '').split(/\r?\n/));
  const head = reader.block(0);
  reader.end();
  const frontmatter = typeof head === 'object' && head !== null ? (head as Record<string, unknown>) : {};
  return { frontmatter, body: content.slice(match[0].length).trim() };
}

/** `stripFrontmatter`: the text below the head. */
export function stripFrontmatter(content: string): string {
  const match = HEAD.exec(content);
  return match === null ? content : content.slice(match[0].length).trim();
}

const KEY = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#:'"[\]{},-][^:#]*|-[^\s:][^:]*)\s*:(?:\s+(.*))?$/;

class Reader {
  private at = 0;

  constructor(private readonly lines: readonly string[]) {}

  /** The map or list whose lines are indented by `indent` or more. */
  block(indent: number): unknown {
    const first = this.peek();
    if (first === undefined || first.indent < indent) return null;
    return first.text === '-' || first.text.startsWith('- ') ? this.list(first.indent) : this.map(first.indent);
  }

  /** Throws when something was left over: a line that stands deeper or less deep than the ones around it. */
  end(): void {
    if (this.peek() !== undefined) {
      throw new FrontmatterError(this.at + 2, 'this line is indented unlike its neighbours');
    }
  }

  private map(indent: number): Record<string, unknown> {
    const map: Record<string, unknown> = {};
    for (let line = this.peek(); line?.indent === indent; line = this.peek()) {
      const [, key, value] = KEY.exec(line.text) ?? [];
      if (key === undefined) throw new FrontmatterError(this.at + 2, 'expected "key: value"');
      this.at += 1;
      map[String(scalar(key))] = this.value(withoutComment(value ?? ''), indent);
    }
    return map;
  }

  private list(indent: number): unknown[] {
    const list: unknown[] = [];
    for (let line = this.peek(); line?.indent === indent && /^-( |$)/.test(line.text); line = this.peek()) {
      const rest = withoutComment(line.text.slice(1).trim());
      this.at += 1;
      list.push(this.value(rest, indent));
    }
    return list;
  }

  private value(text: string, indent: number): unknown {
    const block = /^([|>])([+-]?)$/.exec(text);
    if (block !== null) return this.scalarBlock(indent, block[1] === '>', block[2] ?? '');
    if (text !== '') return scalar(text);
    const next = this.peek();
    // A list may stand at the indentation of its key.
    const isList = next?.indent === indent && /^-( |$)/.test(next.text);
    return next !== undefined && (next.indent > indent || isList) ? this.block(next.indent) : null;
  }

  private scalarBlock(indent: number, folded: boolean, chomp: string): string {
    const lines: string[] = [];
    while (this.at < this.lines.length) {
      const line = this.lines[this.at] ?? '';
      if (line.trim() !== '' && indentOf(line) <= indent) break;
      lines.push(line);
      this.at += 1;
    }
    const margin = Math.min(...lines.filter(line => line.trim() !== '').map(indentOf), 1000);
    const text = lines
      .map(line => line.slice(margin))
      .join('\n')
      .trimEnd();
    const body = folded ? text.replace(/([^\n])\n(?=[^\n])/g, '$1 ') : text;
    return chomp === '-' || body === '' ? body : `${body}\n`;
  }

  private peek(): { readonly indent: number; readonly text: string } | undefined {
    while (this.at < this.lines.length && /^\s*(#.*)?$/.test(this.lines[this.at] ?? '')) this.at += 1;
    const line = this.lines[this.at];
    return line === undefined ? undefined : { indent: indentOf(line), text: line.trim() };
  }
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function withoutComment(text: string): string {
  return /^["']/.test(text) ? text : text.replace(/(^|\s)#.*$/, '').trim();
}

const WORDS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null, '~': null };

function scalar(text: string): unknown {
  const value = text.trim();
  if (/^"(?:[^"\\]|\\.)*"/.test(value)) return unescaped(/^"((?:[^"\\]|\\.)*)"/.exec(value)?.[1] ?? '');
  if (/^'(?:[^']|'')*'/.test(value)) return (/^'((?:[^']|'')*)'/.exec(value)?.[1] ?? '').replaceAll("''", "'");
  if (value.startsWith('[') && value.endsWith(']')) return flowItems(value.slice(1, -1)).map(scalar);
  if (Object.hasOwn(WORDS, value.toLowerCase())) return WORDS[value.toLowerCase()];
  return /^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$/.test(value) ? Number(value) : value;
}

function flowItems(text: string): readonly string[] {
  return text.match(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,\s][^,]*/g) ?? [];
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0' };

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_all, letter: string) => ESCAPES[letter] ?? letter);
}
