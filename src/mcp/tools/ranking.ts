import { isRecord } from '../../base/json/is-record';

/** A tool as it is searched. */
export interface SearchedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  /** What is said of the whole of which it is a part, such as its server. */
  readonly group: string;
}

/** BM25's constants: how soon a repeated word counts no more, and how much longer texts lose. */
const K1 = 1.2;
const B = 0.75;
/** A word in the name counts more than any number of mentions (which approach K1 + 1); in the group's text, less than one. */
const NAME_WEIGHT = 3;
const GROUP_WEIGHT = 0.5;

const FILLERS = new Set('a an and are as at be by for from in is it of on or that the this to with'.split(' '));
const DEEPEST = 20;

interface Indexed {
  readonly name: string;
  readonly nameWords: ReadonlySet<string>;
  /** Words of the tool's name after the name of its server. */
  readonly ownWords: ReadonlySet<string>;
  readonly groupWords: ReadonlySet<string>;
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

/**
 * The names of the tools that a query means, best first. A query that is a tool's name finds it first; else those come first
 * in which most of its words occur, and among these it is Okapi BM25 over descriptions and parameters, with names above and
 * servers' texts below it. Ties keep the order given.
 */
export function rankTools(query: string, tools: readonly SearchedTool[], limit: number): readonly string[] {
  const asked = new Set(wordsOf(query));
  if (asked.size === 0) return [];
  const indexed = tools.map(indexOf);
  const average = indexed.reduce((sum, { length }) => sum + length, 0) / Math.max(1, indexed.length) || 1;
  const rarity = new Map([...asked].map(word => [word, rarityOf(word, indexed)]));
  const all = [...rarity.values()].reduce((sum, value) => sum + value, 0);
  const exact = plain(query);
  return indexed
    .flatMap(tool => {
      const score = scoreOf(tool, rarity, average);
      if (score.value === 0) return [];
      const isNamed = tool.ownWords.size > 0 && [...tool.ownWords].every(word => asked.has(word));
      const isExact = [tool.name, ...suffixes(tool.name)].some(name => plain(name) === exact);
      return [{ name: tool.name, isExact, covered: score.covered, value: score.value + (isNamed ? all : 0) }];
    })
    .sort((a, b) => Number(b.isExact) - Number(a.isExact) || b.covered - a.covered || b.value - a.value)
    .slice(0, limit)
    .map(({ name }) => name);
}

function scoreOf(
  { nameWords, groupWords, counts, length }: Indexed,
  rarity: ReadonlyMap<string, number>,
  average: number,
): { readonly value: number; readonly covered: number } {
  const norm = K1 * (1 - B + (B * length) / average);
  let value = 0;
  let covered = 0;
  for (const [word, worth] of rarity) {
    const count = counts.get(word) ?? 0;
    const weight =
      (nameWords.has(word) ? NAME_WEIGHT : 0) +
      (groupWords.has(word) ? GROUP_WEIGHT : 0) +
      (count * (K1 + 1)) / (count + norm);
    if (weight > 0) covered += 1;
    value += worth * weight;
  }
  return { value, covered };
}

function rarityOf(word: string, tools: readonly Indexed[]): number {
  const having = tools.filter(
    ({ nameWords, groupWords, counts }) => nameWords.has(word) || groupWords.has(word) || counts.has(word),
  ).length;
  return Math.log(1 + (tools.length - having + 0.5) / (having + 0.5));
}

function indexOf({ name, description, parameters, group }: SearchedTool): Indexed {
  const counts = new Map<string, number>();
  let length = 0;
  for (const word of wordsOf([description, ...schemaTexts(parameters, 0)].join(' '))) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
    length += 1;
  }
  return {
    name,
    nameWords: new Set(wordsOf(name)),
    ownWords: new Set(wordsOf(name.split('__').at(-1) ?? '')),
    groupWords: new Set(wordsOf(group)),
    counts,
    length,
  };
}

/** Names of members, and what a schema says of them. */
function schemaTexts(schema: unknown, depth: number): readonly string[] {
  if (!isRecord(schema) || depth > DEEPEST) return [];
  const { description, properties, items } = schema;
  const branches = ['anyOf', 'oneOf', 'allOf'].flatMap(keyword => {
    const given = schema[keyword];
    return Array.isArray(given) ? (given as readonly unknown[]) : [];
  });
  return [
    ...(typeof description === 'string' ? [description] : []),
    ...Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, member]) => [
      name,
      ...schemaTexts(member, depth + 1),
    ]),
    ...[items, ...branches].flatMap(part => schemaTexts(part, depth + 1)),
  ];
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Words as they are compared: apart at the humps of names, in lower case and the singular, without fillers. */
function wordsOf(text: string): readonly string[] {
  const spaced = text
    .normalize('NFC')
    .replace(/(\p{Ll}|\p{N})(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$& ')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ');
  // Only what is written without blanks needs the segmenter, which is slow.
  const words = /^[\x20-\x7e]*$/.test(spaced)
    ? spaced.split(' ')
    : [...segmenter.segment(spaced)].flatMap(({ segment, isWordLike }) => (isWordLike === true ? [segment] : []));
  return words.filter(word => word !== '' && !FILLERS.has(word)).map(singular);
}

function singular(word: string): string {
  if (!/^[a-z0-9]{4,}$/.test(word)) return word;
  if (/.ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(ch|sh|ss|x|z)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

function plain(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9_$]/g, '_');
}

/** `b__c` and `c` of `a__b__c`. */
function suffixes(name: string): readonly string[] {
  const parts = name.split('__');
  return parts.slice(1).map((_part, index) => parts.slice(index + 1).join('__'));
}
