import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A hook that Hookline brings along, to read and to copy. */
export interface ExampleHook {
  /** Its file's name, with its ending. */
  readonly fileName: string;
  /** The first sentence of the comment at its head, in plain text. */
  readonly summary: string;
  readonly text: string;
}

/** The examples in a folder (absolute), by name. Rejects when the folder cannot be read, or a file says nothing at its head. */
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

/** The first sentence of the comment right above the default export. */
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
