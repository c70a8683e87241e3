import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** An example hook that ships with Hookline, to be read and copied. */
export interface ExampleHook {
  /** Name of its file, with extension. */
  readonly fileName: string;
  /** The first sentence of the comment above the default export, in plain text. */
  readonly summary: string;
  readonly text: string;
}

/**
 * Reads the examples in a folder (absolute path), sorted by name. Rejects if one cannot be read or has no such comment.
 */
export async function readExampleHooks(dir: string): Promise<readonly ExampleHook[]> {
  const names = (await readdir(dir)).filter(name => name.endsWith('.ts')).sort();
  return Promise.all(
    names.map(async fileName => {
      const text = await readFile(join(dir, fileName), 'utf8');
      const summary = summaryOf(text);
      if (summary === undefined) throw new Error(`${join(dir, fileName)} has no comment above its default export`);
      return { fileName, summary, text };
    }),
  );
}

/** The first sentence of the comment directly above the default export; undefined when there is none. */
function summaryOf(text: string): string | undefined {
  const [head = '', ...rest] = text.split(/\*\/\r?\nexport default /);
  const start = head.lastIndexOf('/**');
  if (rest.length === 0 || start < 0) return undefined;
  const words = head
    .slice(start + '/**'.length)
    .split(/\r?\n/)
    .map(line => line.replace(/^ \* /, '').trim())
    .join(' ')
    .trim();
  return /^.+?\.(?=\s|$)/.exec(words)?.[0].replaceAll('`', '');
}
