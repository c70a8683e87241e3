import { linkTarget } from '../markdown/links';
import { paletteColor, tokenizeAnsi, type AnsiSpan, type AnsiStyle } from '../output/ansi';
import { isPicture, piecesOf, type Piece } from './cells';

const SWITCHES = ['bold', 'dim', 'italic', 'underline', 'strike', 'hidden'] as const;

/** One line of terminal text as nodes. Only text and the CSSOM are used, so nothing in it can become markup. */
export function lineNodes(line: string, fits: (grapheme: string) => boolean): Node[] {
  return tokenizeAnsi(line).spans.map(span => spanNode(span, fits));
}

function spanNode({ text, style }: AnsiSpan, fits: (grapheme: string) => boolean): Node {
  const pieces = piecesOf(text, fits).map(pieceNode);
  const [only] = pieces;
  if (pieces.length === 1 && only instanceof Text && Object.keys(style).length === 0) return only;
  const span = document.createElement('span');
  span.className = SWITCHES.filter(name => style[name])
    .map(name => `ansi-${name}`)
    .join(' ');
  if (isPicture(text)) span.classList.add('exact');
  paint(span, style);
  link(span, style.link);
  span.append(...pieces);
  return span;
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

function paint(span: HTMLElement, { foreground, background, inverse }: AnsiStyle): void {
  const [front, back] = inverse ? [background ?? 'back', foreground ?? 'fore'] : [foreground, background];
  if (front !== undefined) paintOne(span, 'fg', front);
  if (back !== undefined) paintOne(span, 'bg', back);
}

function paintOne(span: HTMLElement, ground: 'fg' | 'bg', color: number | string): void {
  span.classList.add(`ansi-${ground}`);
  if (typeof color === 'number' && color >= 16) span.style.setProperty(`--${ground}`, paletteColor(color));
  else if (typeof color === 'string' && color.startsWith('#')) span.style.setProperty(`--${ground}`, color);
  else span.classList.add(`ansi-${ground}-${color}`);
}
