import type { DialectId } from '../hook-contract/dialect-id';
import { shapeOf } from './templates/dialect-shape';

/** A replacement in one line. Line and columns count from 0; for an insertion, `start` equals `end`. */
export interface TextFix {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** An object meant as an answer that the parser reads as a block: on a line of its own, or after an arrow. */
const LONE_ANSWER = /^(\s*)\{\s*(?:block|cancel|reason|action|messages|message|content|systemPrompt|compaction)\s*:/;
const ARROW_ANSWER =
  /=>\s*(\{\s*(?:block|cancel|reason|action|messages|message|content|systemPrompt|compaction)\s*:.*\})(?=\s*(?:[),;]|$))/;

/**
 * The fix that makes such an object an answer: `return` before it or parentheses around it. Undefined if there is none.
 */
export function unreturnedAnswerFix(
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

/**
 * Gives the factory's parameter the type of its dialect; undefined when it already has a type or no factory is found.
 */
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
