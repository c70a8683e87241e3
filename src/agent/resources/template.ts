import { basename } from 'node:path';
import type { Problem } from '../../base/result';
import { splitArguments } from '../../base/split-arguments';
import { headText, readResource, type FoundFile, type ResourceLocation } from './resource-file';

/** Longest description that is taken from the first line of a text, in characters. */
const DESCRIPTION_CHARS = 60;

/** A prompt kept in a file, run as `/name arguments`. */
export interface PromptTemplate {
  readonly name: string;
  readonly description: string;
  readonly body: string;
  readonly path: string;
  readonly location: ResourceLocation;
  /** Folders below the one that was searched, such as `git:review`; empty at the top. It is no part of the name. */
  readonly group: string;
}

/** Reads a template. A head that is not understood is told, and its text used all the same. */
export async function readTemplate(
  file: FoundFile,
  location: ResourceLocation,
  problems: Problem[],
): Promise<PromptTemplate | undefined> {
  const text = await readResource(file.path);
  if ('message' in text) {
    problems.push(text);
    return undefined;
  }
  if (text.headProblem !== undefined) problems.push(text.headProblem);
  return {
    name: basename(file.path).replace(/\.md$/i, ''),
    description: headText(text.frontmatter, 'description') ?? firstLine(text.body),
    body: text.body,
    path: file.path,
    location,
    group: file.folder.replaceAll('/', ':'),
  };
}

function firstLine(body: string): string {
  const line =
    body
      .split('\n')
      .find(candidate => candidate.trim() !== '')
      ?.trim() ?? '';
  return line.length > DESCRIPTION_CHARS ? `${line.slice(0, DESCRIPTION_CHARS)}...` : line;
}

const PLACEHOLDER = /\$\{@:(\d+)(?::(\d+))?\}|\$(\d+)|\$ARGUMENTS|\$@/g;

/**
 * The template with its arguments in place: `$1`, `$@`, `$ARGUMENTS`, `${@:N}`, `${@:N:L}` (counted from 1, 0 counts
 * as 1). One pass, so an argument that looks like a placeholder stays as it is.
 */
export function expandTemplate(template: Pick<PromptTemplate, 'body'>, args: string): string {
  const words = splitArguments(args);
  return template.body.replace(PLACEHOLDER, (_all, from?: string, count?: string, place?: string) => {
    if (place !== undefined) return words[Number(place) - 1] ?? '';
    const first = Math.max(0, Number(from ?? 1) - 1);
    return words.slice(first, count === undefined ? undefined : first + Number(count)).join(' ');
  });
}
