import type { DialectId } from '../hooks/hook';
import { shapeOf } from './templates/dialect-shape';

/** Replaces a part of one line; positions from 0. An insertion has `start` equal to `end`. */
export interface TextFix {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** An answer as an object, on a line of its own or behind an arrow, that the parser takes for a block. */
const LONE_ANSWER = /^(\s*)\{\s*(?:block|cancel|reason|action|messages|message|content|systemPrompt|compaction)\s*:/;
const ARROW_ANSWER =
  /=>\s*(\{\s*(?:block|cancel|reason|action|messages|message|content|systemPrompt|compaction)\s*:.*\})(?=\s*(?:[),;]|$))/;

/** What makes a braced answer an answer: `return` in front of it, or parentheses around it. */
export function answerFix(
  lineText: string,
  line: number,
): { readonly kind: 'return' | 'parentheses'; readonly fix: TextFix } | undefined {
  const lone = LONE_ANSWER.exec(lineText);
  if (lone !== null) {
    const at = lone[1]?.length ?? 0;
    return { kind: 'return', fix: { line, start: at, end: at, text: 'return ' } };
  }
  const arrow = ARROW_ANSWER.exec(lineText);
  const answer = arrow?.[1];
  if (arrow === null || answer === undefined) return undefined;
  const start = arrow.index + arrow[0].length - answer.length;
  return { kind: 'parentheses', fix: { line, start, end: start + answer.length, text: `(${answer})` } };
}

const FACTORY = /^export\s+default\s+(?:async\s+)?(?:function\s*\w*\s*)?(\(?)\s*([A-Za-z_$][\w$]*)\s*(?:\)|(?==>))/m;

/** Gives the factory's parameter the type of its dialect; undefined when it has one, or there is no such factory. */
export function typeFix(
  text: string,
  dialect: DialectId,
): { readonly type: string; readonly line: number; readonly fixes: readonly TextFix[] } | undefined {
  const factory = FACTORY.exec(text);
  const name = factory?.[2];
  if (factory === null || name === undefined || name === 'function' || name === 'async') return undefined;
  const { api: type, from } = shapeOf(dialect);
  const bare = factory[1] === '';
  const at = factory.index + factory[0].lastIndexOf(name);
  const line = text.slice(0, at).split('\n').length - 1;
  const start = at - (text.lastIndexOf('\n', at) + 1);
  const typed = `${name}: ${type}`;
  const parameter: TextFix = { line, start, end: start + name.length, text: bare ? `(${typed})` : typed };
  if (new RegExp(`\\bimport\\b[^;]*\\b${type}\\b`).test(text)) return { type, line, fixes: [parameter] };
  const first = text.startsWith('#!') ? 1 : 0;
  const importing: TextFix = { line: first, start: 0, end: 0, text: `import type { ${type} } from '${from}';\n` };
  return { type, line, fixes: [importing, parameter] };
}
