import { basename } from 'node:path';
import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';
import type { Problem } from '../../base/result';
import { headText, readResource } from './resource-file';

/** A rule as hooks see it in `ttsr_triggered`: plain data. */
export interface Rule {
  /** The file's name without ending. */
  readonly name: string;
  readonly path: string;
  /** The text that the model gets after it broke the rule. */
  readonly content: string;
  readonly description?: string;
  /** The patterns as written, one per line. */
  readonly ttsrTrigger: string;
  readonly level: 'user' | 'project';
}

/** A rule with its patterns ready for use; the expressions have no state between uses but `lastIndex`. */
export interface StreamRule {
  readonly rule: Rule;
  readonly patterns: readonly RegExp[];
}

const TRIGGER_KEYS = ['ttsr_trigger', 'ttsrTrigger', 'trigger'];

/** Reads a rule that interrupts answers; undefined for a file without a trigger, which is another kind of rule. */
export async function readStreamRule(
  path: string,
  level: Rule['level'],
  problems: Problem[],
): Promise<StreamRule | undefined> {
  const text = await readResource(path, { colonsInValues: true });
  if ('message' in text) {
    problems.push(text);
    return undefined;
  }
  if (text.headProblem !== undefined) problems.push(text.headProblem);
  const key = TRIGGER_KEYS.find(candidate => text.frontmatter[candidate] != null);
  if (key === undefined) return undefined;
  const line = text.lineOf(key);
  const sources = triggersOf(text.frontmatter[key]);
  const patterns = sources.map(compilePattern);
  const bad = patterns.find(pattern => typeof pattern === 'string');
  if (bad !== undefined || sources.length === 0) {
    const why = bad ?? 'it must be a pattern or a list of patterns';
    problems.push({ file: path, line, message: `"${key}" of this rule cannot be used: ${why}` });
    return undefined;
  }
  const description = headText(text.frontmatter, 'description');
  const rule: Rule = {
    name: basename(path).replace(/\.mdc?$/i, ''),
    path,
    content: text.body,
    ...defined({ description }),
    ttsrTrigger: sources.join('\n'),
    level,
  };
  return { rule, patterns: patterns.filter(pattern => typeof pattern !== 'string') };
}

function triggersOf(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = list.map(item => (typeof item === 'number' ? String(item) : item));
  return texts.every(item => typeof item === 'string' && item !== '') ? (texts as string[]) : [];
}

/**
 * The expression of a trigger, or why there is none. A leading `(?i)`, `(?m)` or `(?s)`, as other languages have it, is
 * understood. A pattern that matches nothing at all would stop every answer at its first letter.
 */
function compilePattern(source: string): RegExp | string {
  const [head, flags] = /^\(\?([ims]+)\)/.exec(source) ?? ['', ''];
  try {
    const pattern = new RegExp(source.slice(head.length), `g${[...new Set(flags)].join('')}`);
    return ''.search(pattern) === 0 ? `"${source}" matches an empty text` : pattern;
  } catch (error) {
    return messageOf(error);
  }
}
