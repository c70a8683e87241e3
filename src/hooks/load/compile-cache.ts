import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { areAsks } from './asks';
import type { CompiledModule, CompileRequest } from './compile';

/** Change this when the compiled form changes without a new extension version. */
const FORMAT = 5;

/**
 * Compiled modules on disk, one file per source file and module kind, so that an edit replaces its predecessor. The
 * folder's name holds the extension's version, because the source alone does not decide what the compiler makes of it.
 * A cache that cannot be read or written costs time and is otherwise invisible.
 */
export class CompileCache {
  private folderReady: Promise<unknown> | undefined;

  constructor(readonly folder: string) {}

  /** At once: reading a file takes some ten µs, and ten times that by promises. */
  read(request: CompileRequest): CompiledModule | undefined {
    try {
      return moduleIn(readFileSync(this.pathOf(request), 'utf8'), request);
    } catch {
      return undefined; // Not compiled before, or torn.
    }
  }

  /** Written beside and renamed over, because two windows share the folder. */
  async write(request: CompileRequest, module: CompiledModule): Promise<void> {
    this.folderReady ??= mkdir(this.folder, { recursive: true });
    const path = this.pathOf(request);
    const beside = `${path}.${randomUUID()}`;
    try {
      await this.folderReady;
      await writeFile(beside, textOf(request, module));
      await rename(beside, path);
    } catch {
      await rm(beside, { force: true }).catch(() => undefined); // A full or read-only disk: the next start compiles again.
    }
  }

  /** For the worker, which nobody waits for and whose messages would starve promises. */
  writeSync(request: CompileRequest, module: CompiledModule): void {
    const path = this.pathOf(request);
    const beside = `${path}.${randomUUID()}`;
    try {
      mkdirSync(this.folder, { recursive: true });
      writeFileSync(beside, textOf(request, module));
      renameSync(beside, path);
    } catch {
      this.removed(beside);
    }
  }

  private removed(beside: string): void {
    try {
      rmSync(beside, { force: true });
    } catch {
      // What cannot be written cannot be removed either; the next start compiles again.
    }
  }

  private pathOf(request: CompileRequest): string {
    const name = basename(request.file)
      .replace(/[^\w.-]/g, '_')
      .slice(0, 60);
    return join(this.folder, `${name}-${hashOf(request.file).slice(0, 16)}${request.async ? '.mjs' : '.cjs'}`);
  }
}

/** Where the compiled modules of one version of the extension are kept. */
export function cacheFolder(cacheDir: string, extensionVersion: string): string {
  return join(cacheDir, `hooks-${extensionVersion}-${FORMAT}`);
}

/** Identity of a text. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function headerOf(request: CompileRequest): string {
  return `// ${request.hash}\n// `;
}

function textOf(request: CompileRequest, { code, asks }: CompiledModule): string {
  return `${headerOf(request)}${JSON.stringify(asks)}\n${code}`;
}

/** @throws when the text is torn within what the module asks for */
function moduleIn(cached: string, request: CompileRequest): CompiledModule | undefined {
  const header = headerOf(request);
  if (!cached.startsWith(header) || !cached.endsWith('\n')) return undefined;
  const end = cached.indexOf('\n', header.length);
  const asks: unknown = JSON.parse(cached.slice(header.length, end));
  return areAsks(asks) ? { asks, code: cached.slice(end + 1) } : undefined;
}
