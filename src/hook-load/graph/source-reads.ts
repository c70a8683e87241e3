import { dirname, join } from 'node:path';
import { HookSource } from './hook-source';
import type { PackageReads } from './imported-packages';
import { manifestFrom, type Manifest, type Resolution } from './package-scope';
import { realFile, resolveModule, type RequestKind } from './resolve';

/**
 * The texts of hook files and the targets of their imports, each as it was when it was first asked for. Made for one
 * reload, which compares the files with their approved versions and then loads them: a file is read once, and the text
 * that was compared is the text that runs.
 */
export class SourceReads implements PackageReads {
  private readonly sources = new Map<string, HookSource | undefined>();
  /** By the folder of the importer, the specifier and the kind of request. */
  private readonly targets = new Map<string, Resolution>();
  private readonly files = new Map<string, string | undefined>();
  private readonly manifests = new Map<string, Manifest | undefined>();

  /** See {@link HookSource.readIfPossible}. */
  source(path: string): HookSource | undefined {
    if (this.sources.has(path)) return this.sources.get(path);
    const source = HookSource.readIfPossible(path);
    this.sources.set(path, source);
    return source;
  }

  /** See {@link resolveModule}. */
  readonly resolve = (specifier: string, importer: string, kind: RequestKind): Resolution => {
    const key = `${kind}\n${dirname(importer)}\n${specifier}`;
    const known = this.targets.get(key) ?? resolveModule(specifier, importer, kind, this);
    this.targets.set(key, known);
    return known;
  };

  /** See {@link realFile}. */
  readonly fileAt = (path: string): string | undefined => {
    if (!this.files.has(path)) this.files.set(path, realFile(path));
    return this.files.get(path);
  };

  /** See {@link ModuleDisk.manifestIn}. */
  readonly manifestIn = (folder: string): Manifest | undefined => {
    if (!this.manifests.has(folder)) this.manifests.set(folder, this.readManifest(join(folder, 'package.json')));
    return this.manifests.get(folder);
  };

  private readManifest(path: string): Manifest | undefined {
    if (this.fileAt(path) === undefined) return undefined;
    return manifestFrom(this.source(path)?.text ?? '');
  }
}
