import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder of its own for one test, filled from path-to-text pairs. */
export class TempFiles {
  readonly root: string;

  constructor(files: Readonly<Record<string, string>> = {}, name = 'hookline-') {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), name)));
    this.write(files);
  }

  /** Absolute path of a name below the folder. */
  path(...names: readonly string[]): string {
    return join(this.root, ...names);
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(this.path(name)), { recursive: true });
      writeFileSync(this.path(name), text);
    }
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
