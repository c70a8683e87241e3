import { existsSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import { isCode, messageOf } from '../../base/errors';
import { readRegularText } from '../../base/files/regular-file';
import type { Problem } from '../../base/result';
import { mayBeInstalled } from '../../hook-load/graph/resolve';
import { findTests, type FoundTest, type FoundTests } from './find-tests';
import { TEST_HELPER } from './hook-test';

/** Bytes; a test that is written from a record has at most some hundred thousand. */
const LARGEST_FILE = 2 * 1024 * 1024;

/** A file with tests of hooks. */
export interface TestFile {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  readonly tests: readonly FoundTest[];
  /** Why it cannot run or be listed: it cannot be read, has a syntax error, or an import of it leads nowhere. */
  readonly problem: Problem | undefined;
}

/**
 * Reads a file that may be a test of a hook, which is one that names the helper of such tests. Undefined if it is none, or
 * is no file. One that cannot be read may be a test. `known` is what was read before; it is the result if nothing changed.
 * Never rejects, and runs nothing: the folder need not be trusted.
 */
export async function readTestFile(path: string, known?: TestFile): Promise<TestFile | undefined> {
  let text: string;
  try {
    text = await readRegularText(path, { most: LARGEST_FILE });
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'EISDIR')) return undefined;
    return changed(known, {
      path,
      text: '',
      tests: known?.tests ?? [],
      problem: { message: messageOf(error), file: path },
    });
  }
  if (!text.includes(TEST_HELPER)) return undefined;
  const found = findTests(path, text);
  const tests = found.ok ? found.value.tests : (known?.tests ?? []);
  const problem = found.ok ? missingImport(path, found.value.imports) : found.problems[0];
  return changed(known, { path, text, tests, problem });
}

function changed(known: TestFile | undefined, now: TestFile): TestFile {
  return known?.text === now.text && known.problem?.message === now.problem?.message ? known : now;
}

function missingImport(file: string, imports: FoundTests['imports']): Problem | undefined {
  const missing = imports.find(({ specifier }) => !isThere(file, specifier));
  if (missing === undefined) return undefined;
  const { specifier, range } = missing;
  const message = l10n.t('The import "{0}" cannot be found', specifier);
  return { message, file, line: range.start.line, column: range.start.column + 1 };
}

/** Reads no `package.json`, as a resolution would: it can be a named pipe. */
function isThere(file: string, specifier: string): boolean {
  if (isBuiltin(specifier)) return true;
  if (!/^(\.\.?\/|\/|file:)/.test(specifier)) return mayBeInstalled(specifier, file);
  try {
    const own = pathToFileURL(file);
    const url = new URL(specifier, own);
    return url.host === own.host && existsSync(fileURLToPath(url)); // Another machine is not asked.
  } catch {
    return false; // No path can have this form.
  }
}
