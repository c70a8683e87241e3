/** A place in a text, both 0-based, and how long what stands there is on its line. */
export interface JsonPlace {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/**
 * Where a member or element of a JSON text stands: its key, else its value. A path that leads nowhere ends at the last
 * part that is there. The text is known to be JSON.
 */
export function placeInJson(text: string, path: readonly (string | number)[]): JsonPlace {
  const scanner = new Scanner(text);
  let at = scanner.blanks(0);
  let found: { readonly from: number; readonly to: number } = { from: at, to: at + 1 };
  for (const part of path) {
    const next = scanner.find(at, part);
    if (next === undefined) break;
    found = { from: next.from, to: next.to };
    at = next.value;
  }
  const before = text.slice(0, found.from);
  const line = before.split('\n').length - 1;
  const end = text.slice(found.from, found.to).split('\n', 1)[0]?.length ?? 1;
  return { line, column: before.length - before.lastIndexOf('\n') - 1, length: Math.max(1, end) };
}

class Scanner {
  constructor(private readonly text: string) {}

  blanks(at: number): number {
    let next = at;
    while (/\s/.test(this.text[next] ?? 'x')) next += 1;
    return next;
  }

  /** The range of the key, or of the element, and where the value begins. */
  find(
    at: number,
    part: string | number,
  ): { readonly from: number; readonly to: number; readonly value: number } | undefined {
    const closing = this.text[at] === '{' ? '}' : this.text[at] === '[' ? ']' : undefined;
    if (closing === undefined) return undefined;
    let next = this.blanks(at + 1);
    for (let index = 0; next < this.text.length && this.text[next] !== closing; index++) {
      let from = next;
      let to = next;
      let name: string | number = index;
      if (closing === '}') {
        to = this.skip(next);
        const key: unknown = JSON.parse(this.text.slice(next, to));
        name = typeof key === 'string' ? key : '';
        next = this.blanks(this.blanks(to) + 1);
      }
      const end = this.skip(next);
      if (closing === ']') [from, to] = [next, end];
      if (name === part) return { from, to, value: next };
      next = this.blanks(end);
      if (this.text[next] === ',') next = this.blanks(next + 1);
    }
    return undefined;
  }

  /** The offset behind the value that begins here. */
  private skip(at: number): number {
    const first = this.text[at];
    if (first === '"') {
      const match = /"(?:\\.|[^"\\])*"/y;
      match.lastIndex = at;
      return at + (match.exec(this.text)?.[0].length ?? 1);
    }
    if (first !== '{' && first !== '[') {
      const match = /[^\s,\]}]+/y;
      match.lastIndex = at;
      return at + (match.exec(this.text)?.[0].length ?? 1);
    }
    let depth = 0;
    for (let next = at; next < this.text.length; next++) {
      const letter = this.text[next];
      if (letter === '"') next = this.skip(next) - 1;
      else if (letter === '{' || letter === '[') depth += 1;
      else if ((letter === '}' || letter === ']') && --depth === 0) return next + 1;
    }
    return this.text.length;
  }
}
