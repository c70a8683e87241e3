import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as l10n from '@vscode/l10n';
import { isCode } from '../../base/errors';
import type { Problem } from '../../base/result';
import { findTests, type FoundTest, type FoundTests } from './find-tests';
import { TEST_HELPER } from './hook-test';

/** A file with tests of hooks. */
export interface TestFile {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  readonly tests: readonly FoundTest[];
  /** Why it cannot run: a syntax error, or an import that leads nowhere. */
  readonly problem: Problem | undefined;
}

/**
 * Reads a file that may be a test of a hook, which is one that names the helper of such tests. Undefined if it is none or
 * cannot be read. `known` is what was read before; it is the result if nothing changed.
 */
export async function readTestFile(path: string, known?: TestFile): Promise<TestFile | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text?.includes(TEST_HELPER) !== true) return undefined;
  const found = findTests(path, text);
  const tests = found.ok ? found.value.tests : (known?.tests ?? []);
  const problem = found.ok ? missingImport(path, found.value.imports) : found.problems[0];
  const isSame = known?.text === text && known.problem?.message === problem?.message;
  return isSame ? known : { path, text, tests, problem };
}

function missingImport(file: string, imports: FoundTests['imports']): Problem | undefined {
  const missing = imports.find(({ specifier }) => !isThere(file, specifier));
  if (missing === undefined) return undefined;
  const { specifier, range } = missing;
  const message = l10n.t('The import "{0}" cannot be found', specifier);
  return { message, file, line: range.start.line, column: range.start.column + 1 };
}

function isThere(file: string, specifier: string): boolean {
  if (isBuiltin(specifier)) return true;
  if (/^(\.\.?\/|\/|file:)/.test(specifier)) return isFileThere(new URL(specifier, pathToFileURL(file)));
  try {
    createRequire(file).resolve(specifier);
    return true;
  } catch (error) {
    return !isCode(error, 'MODULE_NOT_FOUND'); // A package may not have a module for `require`.
  }
}

function isFileThere(url: URL): boolean {
  try {
    return existsSync(fileURLToPath(url));
  } catch {
    return false; // No path can have this form.
  }
}
