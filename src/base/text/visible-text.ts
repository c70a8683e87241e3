/** A part of a text: characters that a reader sees as they are, or one that must be marked. */
export type TextPart =
  | { readonly type: 'text'; readonly text: string }
  /** `text` is the character, and `code` its name in Unicode's notation, such as `U+202E`. */
  | { readonly type: 'hidden'; readonly text: string; readonly code: string };

/**
 * Characters that a reader does not see, or that change how others are shown: ignorable ones (zero-width, fillers, tags),
 * bidirectional controls, control characters other than a line feed and a tab, separators of lines, halves of pairs, and
 * the blank Braille pattern. A carriage return is one also before a line feed, because a shell does not end a line there.
 */
const HIDDEN =
  '(?![\\n\\t])[\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Noncharacter_Code_Point}\\ufff9-\\ufffb\\u2800]';

const PICTURE = '\\p{Extended_Pictographic}(?:\\p{Emoji_Modifier}|[\\ufe0e\\ufe0f])?';
/** Letters and marks of scripts in which a joiner or a non-joiner between two letters is part of the spelling. */
const JOINED = `[${[
  'Arab',
  'Syrc',
  'Nkoo',
  'Mong',
  'Deva',
  'Beng',
  'Guru',
  'Gujr',
  'Orya',
  'Taml',
  'Telu',
  'Knda',
  'Mlym',
  'Sinh',
  'Khmr',
  'Mymr',
]
  .map(script => `\\p{Script=${script}}`)
  .join('')}]`;

/** Sequences of ordinary texts in which such a character belongs to what a reader sees. */
const ORDINARY = [
  `${PICTURE}(?:\\u200d${PICTURE})*`, // Emoji
  '[0-9#*]\\ufe0f\\u20e3', // Keycaps
  '\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}', // Flags of England, Scotland and Wales
  '\\p{Ideographic}[\\u{e0100}-\\u{e01ef}]', // Variants of names
  '(?=\\p{L})\\p{Script=Mongolian}[\\u180b-\\u180d\\u180f]',
  `${JOINED}(?:[\\u200c\\u200d](?=${JOINED})|\\u200d(?=\\s|$))`,
  '[\\u2801-\\u28ff]\\u2800+|\\u2800{1,200}(?=[\\u2801-\\u28ff])', // Pictures made of Braille patterns
];

const ANY_HIDDEN = new RegExp(HIDDEN, 'u');
/** The longer sequences first: a flag begins with a picture. */
const SPECIAL = new RegExp(`(?<ordinary>${[ORDINARY[2], ...ORDINARY].join('|')})|${HIDDEN}`, 'gu');

/** A text in parts, with each hidden character as a part of its own. The characters of emoji and of scripts stay. */
export function visibleParts(text: string): readonly TextPart[] {
  if (!ANY_HIDDEN.test(text)) return text === '' ? [] : [{ type: 'text', text }];
  const parts: TextPart[] = [];
  let shownTo = 0;
  for (const { 0: special, index, groups } of text.matchAll(SPECIAL)) {
    if (groups?.['ordinary'] !== undefined) continue;
    if (index > shownTo) parts.push({ type: 'text', text: text.slice(shownTo, index) });
    parts.push({ type: 'hidden', text: special, code: codeOf(special) });
    shownTo = index + special.length;
  }
  if (shownTo < text.length) parts.push({ type: 'text', text: text.slice(shownTo) });
  return parts;
}

/** A text that is safe to show next to a decision: each hidden character is replaced by `⟦U+202E⟧` or the like. */
export function visibleText(text: string): string {
  if (!ANY_HIDDEN.test(text)) return text;
  return visibleParts(text)
    .map(part => (part.type === 'text' ? part.text : hiddenMark(part.code)))
    .join('');
}

/** {@link visibleText} for a text that must stay on its line: line feeds and tabs are marked, too. */
export function visibleLine(text: string): string {
  return visibleText(text).replace(/[\n\t]/g, control => hiddenMark(codeOf(control)));
}

/** What stands for a hidden character in a plain text. */
export function hiddenMark(code: string): string {
  return `⟦${code}⟧`;
}

/** Whether a text contains a character that {@link visibleText} could mark. */
export function hasHiddenCharacters(text: string): boolean {
  return ANY_HIDDEN.test(text);
}

/** A document in which a carriage return before a line feed is part of the line's end. Not for commands of a shell. */
export function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
