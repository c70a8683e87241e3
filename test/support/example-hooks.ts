import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/support/paths.ts';
import type { DialectId } from '../../src/hook-contract/dialect-id';

/** A hook that a test drives. */
export interface ExampleHook {
  /** Of its file. */
  readonly name: string;
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

export const DIALECTS: readonly DialectId[] = ['v1', 'v2', 'tree', 'omp', 'ext', 'pi'];

const FURTHER = join('test', 'fixtures', 'older-hooks');

/** The examples of a dialect, and of an older one also the further hooks that only tests have, by name. */
export function exampleHooks(dialect: DialectId): readonly ExampleHook[] {
  const folders = [join('examples', dialect), ...(dialect === 'pi' ? [] : [join(FURTHER, dialect)])];
  const hooks = folders.flatMap(folder =>
    readdirSync(join(ROOT, folder)).map(name => {
      const path = join(folder, name);
      return { name, path, text: readFileSync(join(ROOT, path), 'utf8') };
    }),
  );
  return hooks.sort((one, other) => (one.name < other.name ? -1 : 1));
}
