import { LineCounter, parseDocument } from 'yaml';
import { messageOf } from './errors';

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

const HEAD = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/;

/** A line whose plain value holds `: `. YAML forbids that, and authors of skills and prompts write it. */
const COLON_IN_VALUE = /^([ \t]*[\w-]+:[ \t]+)(?![|>"'[{&*!#])(.*:[ \t].*)$/gm;

/**
 * Splits a skill, prompt or rule file into its YAML head and the trimmed text below. Without a head, the whole text is
 * the body. Plain values that hold `: ` are accepted as text.
 * @throws {FrontmatterError} when the head is not YAML
 */
export function parseFrontmatter(content: string): Frontmatter {
  const match = HEAD.exec(content);
  if (match === null) return { frontmatter: {}, body: content };
  const head = parseHead((match[1] ?? '').replaceAll('\r\n', '\n'));
  const frontmatter = typeof head === 'object' && head !== null ? (head as Record<string, unknown>) : {};
  return { frontmatter, body: content.slice(match[0].length).trim() };
}

/** The trimmed text below the head, which is not parsed. */
export function stripFrontmatter(content: string): string {
  const match = HEAD.exec(content);
  return match === null ? content : content.slice(match[0].length).trim();
}

function parseHead(yaml: string): unknown {
  const lineCounter = new LineCounter();
  const options = { lineCounter, prettyErrors: false };
  let document = parseDocument(yaml, options);
  if (document.errors.length > 0) {
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
