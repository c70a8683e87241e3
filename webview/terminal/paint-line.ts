import { hiddenMark, visibleParts } from '../../src/base/text/visible-text';
import { linkTarget } from '../markdown/links';
import { tokenizeAnsi, type AnsiSpan, STYLE_CLASSES } from '../output/ansi';
import { paint } from '../output/paint';

/** Matches East Asian wide and fullwidth characters, and emoji that are drawn as pictures. */
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6]|[\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2fb}\u{1f1e6}-\u{1f1ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u;
/** Matches characters that take no cell, such as combining marks. */
const UNSEEN = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;
const ASCII = /^[\x20-\x7e]*$/;
/** Matches box lines, blocks and Braille patterns. They form pictures, so their colors must not be corrected. */
const PICTURE = /^[\u2500-\u259f\u2800-\u28ff\u{1fb00}-\u{1fbff}\s]+$/u;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A text without a box, or one character in a box of as many cells as a terminal gives it. */
interface Piece {
  readonly text: string;
  readonly cells?: 1 | 2;
}

/** How many cells a terminal gives to one grapheme. */
export function cellsOf(grapheme: string): 0 | 1 | 2 {
  if (UNSEEN.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}

/**
 * Splits text into pieces, so that each character is in the same column as in a terminal. `fits` says whether the font
 * draws a character exactly one cell wide.
 */
export function piecesOf(text: string, fits: (grapheme: string) => boolean): Piece[] {
  const plain = text.replaceAll('\t', '   ');
  if (ASCII.test(plain)) return plain === '' ? [] : [{ text: plain }];
  const pieces: Piece[] = [];
  let run = '';
  for (const { segment } of graphemes.segment(plain)) {
    const cells = cellsOf(segment);
    if (cells === 0 || (cells === 1 && (ASCII.test(segment) || fits(segment)))) run += segment;
    else {
      if (run !== '') pieces.push({ text: run });
      run = '';
      pieces.push({ text: segment, cells });
    }
  }
  if (run !== '') pieces.push({ text: run });
  return pieces;
}

/** Whether the text is a picture made of characters, such as box lines. */
export function isPicture(text: string): boolean {
  return PICTURE.test(text);
}

/**
 * One line of terminal text as nodes. A hidden character that takes no cell is a mark that takes none. It uses only text
 * nodes and the CSSOM, so that no text can become markup.
 */
export function lineNodes(line: string, fits: (grapheme: string) => boolean): Node[] {
  return tokenizeAnsi(line).spans.map(span => spanNode(span, fits));
}

function spanNode({ text, style }: AnsiSpan, fits: (grapheme: string) => boolean): Node {
  const pieces = visibleParts(text).flatMap(part =>
    part.type === 'hidden' && cellsOf(part.text) === 0
      ? [hiddenNode(part.code)]
      : piecesOf(part.text, fits).map(pieceNode),
  );
  const [only] = pieces;
  if (pieces.length === 1 && only instanceof Text && Object.keys(style).length === 0) return only;
  const span = document.createElement('span');
  span.className = STYLE_CLASSES.filter(name => style[name])
    .map(name => `ansi-${name}`)
    .join(' ');
  if (isPicture(text)) span.classList.add('exact');
  paint(span, style);
  link(span, style.link);
  span.append(...pieces);
  return span;
}

function hiddenNode(code: string): Node {
  const mark = document.createElement('span');
  mark.className = 'hidden-character cell-0';
  mark.title = hiddenMark(code);
  return mark;
}

function pieceNode({ text, cells }: Piece): Node {
  if (cells === undefined) return document.createTextNode(text);
  const box = document.createElement('span');
  box.className = cells === 2 ? 'cell cell-2' : 'cell';
  box.textContent = text;
  return box;
}

function link(span: HTMLElement, target: string | undefined): void {
  if (target === undefined || !linkTarget(target)) return;
  span.classList.add('link');
  span.setAttribute('role', 'link');
  span.dataset['href'] = target;
  span.title = target;
}
