import { isBuiltin } from 'node:module';
import type { HookSource } from './hook-source';
import type { ModuleDisk, Resolution } from './package-scope';
import { resolveInPackage } from './resolve';

/** Reads the files of packages. */
export interface PackageReads extends ModuleDisk {
  /** Undefined when the file is missing or cannot be read. */
  source(path: string): HookSource | undefined;
}

/** Files of packages that are followed for one hook at most. */
const MOST_FILES = 4_000;

/** Names in the text of a module that may be specifiers, also in comments and texts. */
const NAMED = /\b(?:from|import|require|resolve)\s*\(?\s*(["'`])([^"'`\s]{1,300})\1/g;

/**
 * The files of packages that a hook imports, found by the names in their texts, and each `package.json` that decided where
 * these lead. Node loads packages itself, so this is what it may load, and maybe more.
 */
export class ImportedPackages {
  private readonly found = new Map<string, HookSource>();

  constructor(known: readonly HookSource[] = []) {
    for (const source of known) this.found.set(source.path, source);
  }

  get all(): readonly HookSource[] {
    return [...this.found.values()];
  }

  /**
   * Adds what a resolution read, and with `file` all that this file of a package asks for. Yields after each file, so that
   * other work can get a turn.
   */
  *add({ file, manifests }: Resolution, reads: PackageReads): Iterable<undefined> {
    for (const path of manifests) this.read(path, reads);
    const pending = file === undefined ? [] : [file];
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      if (this.found.has(path) || this.found.size >= MOST_FILES) continue;
      const source = this.read(path, reads);
      yield;
      if (source === undefined || !isCode(path)) continue;
      for (const specifier of namesIn(source.text)) {
        if (isBuiltin(specifier)) continue;
        for (const next of resolveInPackage(specifier, path, reads)) {
          if (next.file === undefined) continue;
          for (const manifest of next.manifests) this.read(manifest, reads);
          pending.push(next.file);
        }
      }
    }
  }

  private read(path: string, reads: PackageReads): HookSource | undefined {
    const source = this.found.get(path) ?? reads.source(path);
    if (source !== undefined) this.found.set(path, source);
    return source;
  }
}

function isCode(path: string): boolean {
  return /\.([cm]?[jt]sx?)$/.test(path);
}

function namesIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(NAMED)].map(([, , name = '']) => name));
}
