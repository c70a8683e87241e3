import { isRecord } from '../../base/json/is-record';

/** A tool that can be found by a search. */
export interface SearchedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
  /** Text about the group to which the tool belongs, such as its server. */
  readonly group: string;
}

/** The constants of BM25: K1 limits the effect of repeated words, and B is the effect of the text's length. */
const K1 = 1.2;
const B = 0.75;
/** A word in the name counts more than any number of mentions (at most K1 + 1); one in the group's text less. */
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
 * The names of the tools that match a query, the best first. A tool whose name is the query comes first. Then tools in
 * which more of the query's words occur come first; among equal ones, the score is Okapi BM25 over descriptions and
 * parameters, in which words in names count more and words in the group's text less. Ties keep the given order.
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

/** The names and descriptions of all members of a schema. */
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

/** Made with its first use: the first thing of `Intl` takes some 20 ms. */
let segmenter: Intl.Segmenter | undefined;

function segmentsOf(text: string): Intl.Segments {
  return (segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' })).segment(text);
}

/** The words of a text for comparison: `camelCase` is split; in lower case and singular, without filler words. */
function wordsOf(text: string): readonly string[] {
  const spaced = text
    .normalize('NFC')
    .replace(/(\p{Ll}|\p{N})(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$& ')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ');
  // The segmenter is slow, so it is used only for text that is not ASCII, which may be a language without blanks.
  const words = /^[\x20-\x7e]*$/.test(spaced)
    ? spaced.split(' ')
    : [...segmentsOf(spaced)].flatMap(({ segment, isWordLike }) => (isWordLike === true ? [segment] : []));
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

/** For `a__b__c`: `b__c` and `c`. */
function suffixes(name: string): readonly string[] {
  const parts = name.split('__');
  return parts.slice(1).map((_part, index) => parts.slice(index + 1).join('__'));
}
