/** A part of a TOML text that begins with a header, up to the next header; the first part has none. */
export interface TomlTable {
  /** Names of the header: `['hooks', 'state']` of `[hooks.state]`. */
  readonly path: readonly string[];
  /** Whether it is an item of a list: `[[hooks.Stop]]`. */
  readonly isItem: boolean;
  /** Offset of the header. */
  readonly start: number;
  /** Offset of the end of the last line that is no comment and not empty. */
  readonly end: number;
  readonly values: readonly TomlValue[];
}

/** A line `name = value` of a table; values of inline tables are lines of their own here. */
export interface TomlValue {
  /** From the outermost table, with that of the header. */
  readonly path: readonly string[];
  /** Numbers and dates are texts as they are written. */
  readonly value: TomlScalar | readonly unknown[];
  /** Of the name. */
  readonly offset: number;
  readonly length: number;
}

type TomlScalar = string | boolean;

/**
 * Reads what of a TOML text is needed to find and change tables in it; what TOML forbids beside this is not noticed.
 * @throws Error that says where it cannot be read, without quoting the text
 */
export function readToml(text: string): readonly TomlTable[] {
  return new TomlReader(text).tables();
}

const BARE_NAME = /[A-Za-z0-9_-]+/y;
const PLAIN_VALUE = /[^\s,\]}#]+(?: \d[^\s,\]}#]*)?/y;

class TomlReader {
  private at = 0;
  private readonly read: (TomlTable & { end: number; values: TomlValue[] })[] = [];

  constructor(private readonly text: string) {}

  tables(): readonly TomlTable[] {
    if (this.text.startsWith('\uFEFF')) this.at = 1;
    this.read.push({ path: [], isItem: false, start: 0, end: 0, values: [] });
    while (this.next() !== undefined) {
      if (this.text[this.at] === '[') this.header();
      else this.assignment(this.read.at(-1)?.path ?? [], this.values);
      this.endOfLine();
      const table = this.read.at(-1);
      if (table !== undefined) table.end = this.at;
    }
    return this.read;
  }

  private get values(): TomlValue[] {
    return this.read.at(-1)?.values ?? [];
  }

  private header(): void {
    const start = this.at;
    const isItem = this.text.startsWith('[[', start);
    this.at += isItem ? 2 : 1;
    const path = this.names();
    this.expect(isItem ? ']]' : ']');
    this.read.push({ path, isItem, start, end: start, values: [] });
  }

  private assignment(table: readonly string[], into: TomlValue[]): void {
    const offset = this.at;
    const path = [...table, ...this.names()];
    const length = this.text.slice(offset, this.at).trimEnd().length;
    this.expect('=');
    this.blanks();
    if (this.text[this.at] === '{') this.inlineTable(path, into);
    else into.push({ path, value: this.value(), offset, length });
  }

  private inlineTable(path: readonly string[], into: TomlValue[]): void {
    this.at++;
    while (this.next() !== '}') {
      this.assignment(path, into);
      if (this.next() === ',') this.at++;
      else if (this.text[this.at] !== '}') this.fail();
    }
    this.at++;
  }

  private value(): TomlValue['value'] {
    const start = this.text[this.at];
    if (start === '"' || start === "'") return this.string(start);
    if (start === '[') return this.list();
    if (start === '{') {
      const values: TomlValue[] = [];
      this.inlineTable([], values);
      return values.map(({ path, value }) => [path, value]);
    }
    const word = this.match(PLAIN_VALUE) ?? this.fail();
    return word === 'true' ? true : word === 'false' ? false : word;
  }

  private list(): readonly unknown[] {
    const items: unknown[] = [];
    this.at++;
    while (this.next() !== ']') {
      items.push(this.value());
      if (this.next() === ',') this.at++;
      else if (this.text[this.at] !== ']') this.fail();
    }
    this.at++;
    return items;
  }

  private string(quote: string): string {
    const long = quote.repeat(3);
    const isLong = this.text.startsWith(long, this.at);
    const mark = isLong ? long : quote;
    const start = this.at + mark.length;
    let end = start;
    while (!this.text.startsWith(mark, end)) {
      if (end >= this.text.length || (!isLong && this.text[end] === '\n')) this.fail();
      end += quote === '"' && this.text[end] === '\\' ? 2 : 1;
    }
    // A long string may end with quotes of its own.
    while (isLong && this.text[end + mark.length] === quote) end++;
    this.at = end + mark.length;
    const content = this.text.slice(start, end).replace(isLong ? /^\r?\n/ : /^$/, '');
    return quote === "'" ? content : unescaped(content);
  }

  /** Names with dots between them. */
  private names(): readonly string[] {
    const names: string[] = [];
    do {
      if (names.length > 0) this.at++;
      this.blanks();
      const quote = this.text[this.at];
      names.push(quote === '"' || quote === "'" ? this.string(quote) : (this.match(BARE_NAME) ?? this.fail()));
      this.blanks();
    } while (this.text[this.at] === '.');
    return names;
  }

  private expect(mark: string): void {
    this.blanks();
    if (!this.text.startsWith(mark, this.at)) this.fail();
    this.at += mark.length;
  }

  private endOfLine(): void {
    if (this.match(/[ \t]*(?:#[^\n]*)?\r?(?=\n|$(?![^]))/y) === undefined) this.fail();
  }

  private blanks(): void {
    this.match(/[ \t]*/y);
  }

  /** The next character after white space, line ends and comments. */
  private next(): string | undefined {
    this.match(/(?:\s|#[^\n]*)*/y);
    return this.text[this.at];
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  private fail(): never {
    const before = this.text.slice(0, this.at).split('\n');
    throw new Error(`it is not TOML at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`);
  }
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', e: '\u001B' };

function unescaped(text: string): string {
  return text.replace(
    /\\(?:u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|x([\dA-Fa-f]{2})|[ \t]*\r?\n\s*|([^]))/g,
    (_, ...codes) => {
      const [short, long, byte, letter] = codes as (string | undefined)[];
      const code = short ?? long ?? byte;
      if (code !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10_ffff));
      return letter === undefined ? '' : (ESCAPES[letter] ?? letter);
    },
  );
}

/** The text without these tables and the empty lines before each of them. */
export function withoutTables(text: string, tables: readonly TomlTable[]): string {
  const fromEnd = tables.toSorted((one, other) => other.start - one.start);
  return fromEnd.reduce((rest, { start, end }) => {
    const before = rest.slice(0, start).replace(/(^|\n)(?:[ \t]*\r?\n)+[ \t]*$/, '$1');
    return before + rest.slice(end).replace(/^\r?\n/, '');
  }, text);
}
