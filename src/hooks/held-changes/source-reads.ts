import { dirname } from 'node:path';
import { HookSource } from '../load/hook-source';
import { realFile, resolvePath } from '../load/resolve';

/**
 * The texts of hook files and the targets of their imports, each as it was when it was first asked for. Made for one
 * reload, which compares the files with their approved versions and then loads them: a file is read once, and the text
 * that was compared is the text that runs.
 */
export class SourceReads {
  private readonly sources = new Map<string, HookSource | undefined>();
  /** By the folder of the importer and the specifier. */
  private readonly targets = new Map<string, string | undefined>();
  private readonly files = new Map<string, string | undefined>();

  /** See {@link HookSource.readIfPossible}. */
  source(path: string): HookSource | undefined {
    if (this.sources.has(path)) return this.sources.get(path);
    const source = HookSource.readIfPossible(path);
    this.sources.set(path, source);
    return source;
  }

  /** See {@link resolvePath}. */
  resolve(specifier: string, importer: string): string | undefined {
    const key = `${dirname(importer)}\n${specifier}`;
    if (!this.targets.has(key)) this.targets.set(key, resolvePath(specifier, importer, this.fileAt));
    return this.targets.get(key);
  }

  /** See {@link realFile}. */
  private readonly fileAt = (path: string): string | undefined => {
    if (!this.files.has(path)) this.files.set(path, realFile(path));
    return this.files.get(path);
  };
}
