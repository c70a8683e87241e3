import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One hook of a document: where its text stands, and what it is. The text itself stays in the document. */
export interface SeedHook {
  readonly id: string;
  readonly document: string;
  /** Line ranges, 1-based and inclusive, put together in this order. */
  readonly lines: readonly (readonly [first: number, last: number])[];
  /** SHA-256 of the lines, each ended by a newline. */
  readonly sha256: string;
  /** `module`: has its default export. `body`: statements for a factory with `pi`; the test adds what is around. */
  readonly form: 'module' | 'body';
  readonly what: string;
}

const ROOT = join(import.meta.dirname, '..', '..');

/** Where the five documents lie; they are no part of the project. */
export const SEEDS_DIR = process.env['HOOKLINE_SEEDS'] ?? join(ROOT, '..', 'shared', 'seeds');

/** Names of the documents. */
export const SEED_DOCUMENTS: readonly string[] = [
  'hooks-v1.md',
  'hooks-v2.md',
  'hooks-tree.md',
  'hooks-omp.md',
  'hook-reference-ext.md',
];

/** The checked-in list of the documents' hooks. Throws when it is not readable. */
export const SEED_INDEX = JSON.parse(
  readFileSync(join(ROOT, 'test', 'conformance', 'seed-index.json'), 'utf8'),
) as readonly SeedHook[];

const missing = SEED_DOCUMENTS.filter(name => !existsSync(join(SEEDS_DIR, name)));

/**
 * A test that needs the documents. Without them it fails in CI, where they must be, and waits as pending elsewhere, with
 * the reason in its title.
 */
export function seedIt(title: string, body: () => Promise<void> | void): Mocha.Test {
  if (missing.length === 0) return it(title, body);
  const why = `seeds not found: ${missing.join(', ')} in ${SEEDS_DIR}; set HOOKLINE_SEEDS`;
  if (process.env['CI'] !== 'true') return it(`${title} (skipped, ${why})`);
  return it(title, () => {
    throw new Error(why);
  });
}

/** The lines of a document; the first is at index 0. */
export function seedLines(document: string): readonly string[] {
  return readFileSync(join(SEEDS_DIR, document), 'utf8').split('\n');
}

/** The text of line ranges of a document, each line ended by a newline. */
export function seedText(hook: Pick<SeedHook, 'document' | 'lines'>): string {
  const all = seedLines(hook.document);
  return hook.lines.map(([first, last]) => all.slice(first - 1, last).join('\n') + '\n').join('');
}

export function seedHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function seedHook(id: string): SeedHook {
  const hook = SEED_INDEX.find(candidate => candidate.id === id);
  if (hook === undefined) throw new Error(`The seed index has no "${id}"`);
  return hook;
}

/**
 * A hook of a document as a file's text. `before` stands in front of it; a body is set into a factory after `inside`.
 * `api` is the type a body's factory names, with the specifier it comes from.
 */
export function seedModule(
  id: string,
  more: {
    readonly before?: string;
    readonly inside?: string;
    readonly after?: string;
    readonly api?: readonly [string, string];
  } = {},
): string {
  const hook = seedHook(id);
  const text = seedText(hook);
  const { before = '', inside = '', after = '' } = more;
  if (hook.form === 'module') return `${before}${text}${after}`;
  const [type, specifier] = more.api ?? apiOf(hook.document);
  const imports = text.match(/^import [\s\S]*? from ["'][^"']+["'];$/gm) ?? [];
  const body = imports.reduce((rest, line) => rest.replace(line, ''), text);
  return [
    `import type { ${type} } from "${specifier}";`,
    ...imports,
    before,
    `export default function (pi: ${type}) {`,
    inside,
    body,
    after,
    '}',
    '',
  ].join('\n');
}

function apiOf(document: string): readonly [string, string] {
  if (document === 'hook-reference-ext.md') return ['ExtensionAPI', '@mariozechner/pi-coding-agent'];
  if (document === 'hooks-omp.md') return ['HookAPI', '@oh-my-pi/pi-coding-agent/hooks'];
  return ['HookAPI', '@mariozechner/pi-coding-agent/hooks'];
}
