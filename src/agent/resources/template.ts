import { basename } from 'node:path';
import type { Problem } from '../../base/result';
import { lateHeadLine } from '../../base/text/frontmatter';
import type { PackageOrigin } from './package-origin';
import { readResource, type FoundFile, type ResourceLocation } from './resource-file';

/** Longest description that is taken from the first line of a text, in characters. */
const DESCRIPTION_CHARS = 60;

/** A prompt kept in a file, run as `/name arguments`. */
export interface PromptTemplate {
  readonly name: string;
  readonly description: string;
  /** What to write after the name, in the words of the author (`argument-hint`). */
  readonly argumentHint?: string;
  readonly body: string;
  readonly path: string;
  readonly location: ResourceLocation;
  readonly package?: PackageOrigin;
  /** Folders below the one that was searched, such as `git:review`; empty at the top. It is not a part of the name. */
  readonly group: string;
}

/**
 * Reads a template; one whose head is not YAML is reported and not loaded, as in pi. A head that does not begin on the
 * first line is text, as in pi, and is reported.
 */
export async function readTemplate(
  file: FoundFile,
  location: ResourceLocation,
  problems: Problem[],
): Promise<PromptTemplate | undefined> {
  const text = await readResource(file.path);
  const problem = 'message' in text ? text : text.headProblem;
  if (problem !== undefined) problems.push(problem);
  if ('message' in text || text.headProblem !== undefined) return undefined;
  const line = lateHeadLine(text.body);
  if (line !== undefined) {
    problems.push({ file: file.path, line, message: 'The frontmatter is sent as text, because it is not on line 1.' });
  }
  const { description, 'argument-hint': hint } = text.frontmatter;
  return {
    name: basename(file.path).replace(/\.md$/i, ''),
    description: typeof description === 'string' && description !== '' ? description : firstLine(text.body),
    ...(typeof hint === 'string' && hint !== '' ? { argumentHint: hint } : {}),
    body: text.body,
    path: file.path,
    location,
    group: file.folder.replaceAll('/', ':'),
  };
}

function firstLine(body: string): string {
  const line = body.split('\n').find(candidate => candidate.trim() !== '') ?? '';
  return line.length > DESCRIPTION_CHARS ? `${line.slice(0, DESCRIPTION_CHARS)}...` : line;
}

/** `${1:-default}`, `${@:-default}`, `${@:N}`, `${@:N:L}`, `$1`, `$@`, `$ARGUMENTS`. */
const PLACEHOLDER = /\$\{(\d+|@|ARGUMENTS):-([^}]*)\}|\$\{@:(\d+)(?::(\d+))?\}|\$(\d+|@|ARGUMENTS)/g;

/**
 * The template with its arguments in place; N counts from 1, and 0 counts as 1. A default is where the argument is
 * missing or empty. One pass, so an argument or default that looks like a placeholder stays as it is.
 */
export function expandTemplate(template: Pick<PromptTemplate, 'body'>, args: string): string {
  const words = templateArguments(args);
  const given = (name: string): string => (/^\d/.test(name) ? (words[Number(name) - 1] ?? '') : words.join(' '));
  return template.body.replace(PLACEHOLDER, (_all, ...groups: (string | undefined)[]) => {
    const [orElse, otherwise = '', from, count, plain = ''] = groups;
    if (orElse !== undefined) return given(orElse) || otherwise;
    if (from === undefined) return given(plain);
    const first = Math.max(0, Number(from) - 1);
    return words.slice(first, count === undefined ? undefined : first + Number(count)).join(' ');
  });
}

/**
 * The arguments of a prompt template, by pi's rules: split at blanks; a quote at the start of an argument holds words together up
 * to the same quote, in which a backslash before that quote makes it a letter; a quote inside a word (`doesn't`), or one that is
 * never closed, counts as a letter.
 */
function templateArguments(text: string): readonly string[] {
  const words: string[] = [];
  let at = 0;
  while (at < text.length) {
    if (/\s/.test(text.charAt(at))) {
      at++;
      continue;
    }
    const quoted = quotedStart(text, at);
    const after = quoted?.end ?? at;
    const rest = /^\S*/.exec(text.slice(quoted === undefined ? at : after))?.[0] ?? '';
    words.push(`${quoted?.text ?? ''}${rest}`);
    at = after + rest.length;
  }
  return words;
}

/** The quoted text that begins here, without its quotes, and where what follows it begins. */
function quotedStart(text: string, start: number): { readonly text: string; readonly end: number } | undefined {
  const quote = text.charAt(start);
  if (quote !== '"' && quote !== "'") return undefined;
  let inner = '';
  for (let at = start + 1; at < text.length; at++) {
    const letter = text.charAt(at);
    if (letter === quote) return { text: inner, end: at + 1 };
    const isEscaped = letter === '\\' && text.charAt(at + 1) === quote;
    if (isEscaped) at++;
    inner += isEscaped ? quote : letter;
  }
  return undefined;
}
