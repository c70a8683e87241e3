import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it';

/** Maximum length of a formula, in characters; a longer one stays source text. */
const LONGEST = 4000;

/** The delimiters of formulas, besides single dollars. */
const DOLLARS = { open: '$$', close: '$$' } as const;
const BRACKETS = { open: '\\[', close: '\\]' } as const;
const PARENTHESES = { open: '\\(', close: '\\)' } as const;

interface Delimiters {
  readonly open: string;
  readonly close: string;
}

/**
 * Adds formulas to the parser: `$…$` and `\(…\)` in a line, `$$…$$` and `\[…\]` as a block or in a line. A formula
 * becomes a `.math` element with its source as text and its TeX in `data-tex`; `drawMath` replaces its content.
 */
export function useMath(markdown: MarkdownIt): void {
  markdown.block.ruler.before('fence', 'math_block', mathBlock, { alt: ['paragraph', 'blockquote', 'list'] });
  markdown.inline.ruler.before('escape', 'math_inline', mathInline);
  const { escapeHtml } = markdown.utils;
  const { rules } = markdown.renderer;
  rules['math_block'] = (tokens, index) => {
    const { content = '', markup = '' } = tokens[index] ?? {};
    return `<div class="math math-display" data-tex="${escapeHtml(content)}">${escapeHtml(markup)}</div>\n`;
  };
  rules['math_inline'] = (tokens, index) => {
    const { content = '', markup = '', info = '' } = tokens[index] ?? {};
    return `<span class="math ${info}" data-tex="${escapeHtml(content)}">${escapeHtml(markup)}</span>`;
  };
}

/**
 * Parses a block that begins with `$$` or `\[`. It ends at the closing mark at the end of a line, or before an empty line.
 * So its end does not depend on the text after it, and a text in pieces gives the same blocks as the whole text. A block
 * without a closing mark becomes a paragraph.
 */
function mathBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (indentAt(state, startLine) >= 4) return false;
  const first = lineAt(state, startLine);
  const marks = [DOLLARS, BRACKETS].find(({ open }) => first.startsWith(open));
  if (marks === undefined) return false;
  const inFirst = first.indexOf(marks.close, marks.open.length);
  if (inFirst >= 0 && inFirst + marks.close.length < first.length) return false;
  if (silent) return true;
  const last = inFirst >= 0 ? startLine : closingLine(state, startLine, endLine, marks);
  const isClosed = lineAt(state, last).endsWith(marks.close) && (inFirst >= 0 || last > startLine);
  state.line = last + 1;
  const source = state.getLines(startLine, last + 1, state.blkIndent, false).trim();
  if (!isClosed || source.length > LONGEST) addParagraph(state, source, startLine);
  else {
    const token = state.push('math_block', 'div', 0);
    token.block = true;
    token.content = source.slice(marks.open.length, -marks.close.length).trim();
    token.markup = source;
    token.map = [startLine, state.line];
  }
  return true;
}

/** The last line of the block that begins at `startLine`. */
function closingLine(state: StateBlock, startLine: number, endLine: number, { close }: Delimiters): number {
  let line = startLine;
  while (line + 1 < endLine && !state.isEmpty(line + 1) && indentAt(state, line + 1) >= 0) {
    line += 1;
    if (lineAt(state, line).endsWith(close)) break;
  }
  return line;
}

function addParagraph(state: StateBlock, source: string, startLine: number): void {
  const map: [number, number] = [startLine, state.line];
  state.push('paragraph_open', 'p', 1).map = map;
  const inline = state.push('inline', '', 0);
  inline.content = source;
  inline.map = map;
  inline.children = [];
  state.push('paragraph_close', 'p', -1);
}

/** The indentation of a line inside of the block around it, in columns. */
function indentAt(state: StateBlock, line: number): number {
  return (state.sCount[line] ?? 0) - state.blkIndent;
}

function lineAt(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]).trimEnd();
}

function mathInline(state: StateInline, silent: boolean): boolean {
  const found = formulaAt(state.src, state.pos, state.posMax);
  if (found === undefined) return false;
  if (!silent) {
    const token = state.push('math_inline', 'span', 0);
    token.content = found.tex;
    token.markup = state.src.slice(state.pos, found.end);
    token.info = found.isDisplay ? 'math-display' : 'math-line';
  }
  state.pos = found.end;
  return true;
}

interface Formula {
  readonly tex: string;
  /** Offset after the closing mark. */
  readonly end: number;
  readonly isDisplay: boolean;
}

/** The formula that begins at `start` and ends before `max`; undefined when there is none. */
export function formulaAt(text: string, start: number, max = text.length): Formula | undefined {
  const marks = [DOLLARS, BRACKETS, PARENTHESES].find(({ open }) => text.startsWith(open, start));
  if (marks === undefined) return text[start] === '$' ? betweenDollars(text, start, max) : undefined;
  const from = start + marks.open.length;
  const to = closeOf(text, marks.close, from, max);
  // `\[text\](address)` is an escaped link and not a formula.
  if (to === undefined || (marks === BRACKETS && text.startsWith('(', to + marks.close.length))) return undefined;
  const tex = text.slice(from, to).trim();
  return tex === '' ? undefined : { tex, end: to + marks.close.length, isDisplay: marks !== PARENTHESES };
}

/**
 * A formula between single dollars. Dollars are more often prices or variables, so they count only when there is no space
 * inside of them, no word touches them outside, and the content is not an amount followed by a word.
 */
function betweenDollars(text: string, start: number, max: number): Formula | undefined {
  if (/[\w$]/.test(text[start - 1] ?? ' ') || !/[^\s$]/.test(text[start + 1] ?? ' ')) return undefined;
  const to = closeOf(text, '$', start + 1, max);
  if (to === undefined || /\s/.test(text[to - 1] ?? ' ') || /[\w$]/.test(text[to + 1] ?? ' ')) return undefined;
  const tex = text.slice(start + 1, to);
  if (AMOUNT.test(tex) || /\n\s*\n/.test(tex)) return undefined;
  return { tex, end: to + 1, isDisplay: false };
}

/** Matches text between two prices, such as `5 and 6` or `1,000 to`. */
const AMOUNT = /^[\d.,]+[kKmMbB]?(\s+|[-–/])\p{L}/u;

/** Offset of the closing mark; undefined when there is none. A mark after a backslash does not count. */
function closeOf(text: string, close: string, from: number, max: number): number | undefined {
  for (let at = from; at <= Math.min(max - close.length, from + LONGEST); at++) {
    if (text.startsWith(close, at)) return at;
    if (text[at] === '\\') at += 1;
  }
  return undefined;
}
