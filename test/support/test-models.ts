import { join, resolve } from 'node:path';
import { packVsix } from '../../scripts/support/vsix.ts';

/** The extension in test/fixtures/language-models: a vendor of scripted models, and tools, for `vscode.lm`. */
export const TEST_MODELS_ID = 'hookline-test.test-models';

/** Packs it into a folder (absolute); returns the path of the VSIX. */
export function packTestModels(dir: string): string {
  const vsix = join(dir, 'test-models.vsix');
  packVsix({ folder: resolve(import.meta.dirname, '..', 'fixtures', 'language-models'), vsix });
  return vsix;
}
