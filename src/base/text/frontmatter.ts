import { LineCounter, parseDocument } from 'yaml';
import { messageOf } from '../errors';

/** A text with a YAML head between two `---` lines, taken apart. */
export interface Frontmatter {
  readonly frontmatter: Record<string, unknown>;
  readonly body: string;
}

/** The head is not YAML; `line` is 1-based in the whole text. */
export class FrontmatterError extends Error {
  constructor(
    readonly line: number,
    readonly complaint: string,
  ) {
    super(`Frontmatter, line ${line}: ${complaint}`);
  }
}

const HEAD = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n|$)/;

/** A line whose plain value holds `: `. YAML forbids that, and authors of older rules write it. */
const COLON_IN_VALUE = /^([ \t]*[\w-]+:[ \t]+)(?![|>"'[{&*!#])(.*:[ \t].*)$/gm;

/** `colonsInValues`: plain values that hold `: ` are accepted as text. */
export interface FrontmatterOptions {
  readonly colonsInValues?: boolean;
}

/**
 * Splits a skill, prompt or rule file into its YAML head and the trimmed text below. Without a head, the whole text is
 * the body. In the result, every line ends with `\n`, and a byte order mark is removed, as in pi.
 * @throws {FrontmatterError} when the head is not YAML
 */
export function parseFrontmatter(content: string, options: FrontmatterOptions = {}): Frontmatter {
  const text = withPlainLines(content);
  const match = HEAD.exec(text);
  if (match === null) return { frontmatter: {}, body: text };
  const head = parseHead(match[1] ?? '', options.colonsInValues === true);
  const frontmatter = typeof head === 'object' && head !== null ? (head as Record<string, unknown>) : {};
  return { frontmatter, body: text.slice(match[0].length).trim() };
}

/** Returns the 1-based line of a head that follows empty lines, and so is text and no head; undefined when there is none. */
export function lateHeadLine(content: string): number | undefined {
  const [blank] = /^\s*\n(?=---[ \t]*\n[\w-]+:[\s\S]*?\n---[ \t]*(?:\n|$))/.exec(withPlainLines(content)) ?? [];
  return blank?.split('\n').length;
}

/** The trimmed text below the head, which is not parsed. */
export function stripFrontmatter(content: string): string {
  const text = withPlainLines(content);
  const match = HEAD.exec(text);
  return match === null ? text : text.slice(match[0].length).trim();
}

function withPlainLines(content: string): string {
  return content.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
}

function parseHead(yaml: string, colonsInValues: boolean): unknown {
  const lineCounter = new LineCounter();
  const options = { lineCounter, prettyErrors: false };
  let document = parseDocument(yaml, options);
  if (document.errors.length > 0 && colonsInValues) {
    const quoted = yaml.replace(COLON_IN_VALUE, (_line, key: string, value: string) => key + JSON.stringify(value));
    const again = parseDocument(quoted, { prettyErrors: false });
    if (again.errors.length === 0) document = again;
  }
  const [error] = document.errors;
  // The head begins on line 2 of the text.
  if (error !== undefined) throw new FrontmatterError(lineCounter.linePos(error.pos[0]).line + 1, error.message);
  try {
    return document.toJS();
  } catch (error) {
    throw new FrontmatterError(2, messageOf(error)); // aliases that would grow without end
  }
}
