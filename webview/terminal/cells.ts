/** East Asian wide and fullwidth characters, and emoji that are drawn as pictures. */
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6]|[\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2fb}\u{1f1e6}-\u{1f1ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u;
/** What takes no cell of its own. */
const UNSEEN = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;
const ASCII = /^[\x20-\x7e]*$/;
/** Lines, blocks and Braille patterns are pictures made of characters: their colours must not be bettered. */
const PICTURE = /^[\u2500-\u259f\u2800-\u28ff\u{1fb00}-\u{1fbff}\s]+$/u;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Text that stands as it is, or one character that gets a box of as many cells as a terminal gives it. */
export interface Piece {
  readonly text: string;
  readonly cells?: 1 | 2;
}

/** Cells that a terminal gives to one grapheme. */
export function cellsOf(grapheme: string): 0 | 1 | 2 {
  if (UNSEEN.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}

/**
 * Cuts text into pieces, so that every character stands in the column where a terminal has it. `fits` tells whether the
 * font draws a character exactly one cell wide.
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

/** Whether text is a picture made of characters. */
export function isPicture(text: string): boolean {
  return PICTURE.test(text);
}
