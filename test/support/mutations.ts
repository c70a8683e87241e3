import fc from 'fast-check';

/** Values that readers of JSON stumble over. */
const HOSTILE: readonly string[] = [
  ...['null', 'true', '0', '-1', '1e308', '9007199254740993', '""', '"\\u0000"', '"\\ud800"', '[]', '{}', '[null]'],
  ...[
    '{"toString":1,"valueOf":1}',
    '{"__proto__":{"type":"x"}}',
    '{"constructor":null}',
    '{"length":-1}',
    '{"then":1}',
  ],
  ...[JSON.stringify('x'.repeat(5_000)), `${'['.repeat(300)}${']'.repeat(300)}`, '"../../etc/passwd"', '"$(touch x)"'],
];

/** Pieces that break a text, or nearly. */
const PIECES = [
  '\0',
  '\r',
  '\u2028',
  '\ufeff',
  '"',
  '\\',
  '{',
  '}',
  ']',
  ',',
  ':',
  '//',
  '/*',
  '\u202e',
  'é',
  '😀',
  '\n',
];

/**
 * Texts that were one of these samples: a value in it became a hostile one, a member went or came twice, or the text was cut,
 * repeated in part, or got a piece that does not belong there. A few are only rubbish.
 */
export function mutated(samples: readonly object[]): fc.Arbitrary<string> {
  const sample = fc.constantFrom(...samples);
  const place = fc.nat(1_000);
  const replaced = fc
    .tuple(sample, place, fc.constantFrom(...HOSTILE))
    .map(([value, at, hostile]) => withPart(JSON.stringify(value), at, () => hostile));
  const without = fc.tuple(sample, place).map(([value, at]) => withPart(JSON.stringify(value), at, () => ''));
  const twice = fc
    .tuple(sample, place)
    .map(([value, at]) => withPart(JSON.stringify(value), at, part => `${part},${part}`));
  const cut = fc.tuple(sample, place).map(([value, at]) => JSON.stringify(value).slice(0, at));
  const broken = fc
    .tuple(sample, place, fc.constantFrom(...PIECES))
    .map(([value, at, piece]) => insert(JSON.stringify(value), at, piece));
  const rubbish = fc.oneof(fc.json(), fc.string({ unit: 'binary', maxLength: 60 }));
  const weighted = [
    { weight: 6, arbitrary: replaced },
    { weight: 2, arbitrary: fc.tuple(replaced, place, fc.constantFrom(...HOSTILE)).map(again) },
    ...[without, twice, cut, broken, rubbish].map(arbitrary => ({ weight: 1, arbitrary })),
  ];
  return fc.oneof(...weighted);
}

function again([text, at, hostile]: readonly [string, number, string]): string {
  return withPart(text, at, () => hostile);
}

/** The text with another one in place of one of its values: a text, a number, a word, or all between two brackets. */
function withPart(text: string, at: number, other: (part: string) => string): string {
  const starts = [...text.matchAll(/(?<=[:[,])(?=["\d\-tfn[{])/g)].map(({ index }) => index);
  const start = starts[at % Math.max(1, starts.length)];
  if (start === undefined) return other(text);
  const end = endOfValue(text, start);
  return text.slice(0, start) + other(text.slice(start, end)) + text.slice(end);
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  let inText = false;
  for (let at = start; at < text.length; at++) {
    const letter = text.charAt(at);
    if (inText) {
      if (letter === '\\') at++;
      else if (letter === '"') inText = false;
    } else if (letter === '"') inText = true;
    else if ('[{'.includes(letter)) depth++;
    else if (']}'.includes(letter)) depth--;
    if (depth < 0) return at;
    if (depth === 0 && !inText && /[,\]}]/.test(text.charAt(at + 1))) return at + 1;
  }
  return text.length;
}

function insert(text: string, at: number, piece: string): string {
  const place = at % (text.length + 1);
  return text.slice(0, place) + piece + text.slice(place);
}
