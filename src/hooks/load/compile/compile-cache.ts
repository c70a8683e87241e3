import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { areAsks } from '../asks';
import type { CompiledModule, CompileRequest } from './compile';

/** Change this when the compiled form changes without a new extension version. */
const FORMAT = 5;

/**
 * Compiled modules on disk, one file per source file and module kind, so that an edit replaces its predecessor, and another
 * for what V8 made of it. The folder's name holds the extension's version, because the source alone does not decide what the
 * compiler makes of it. A cache that cannot be read or written costs time and is otherwise invisible. Everything is done at
 * once: a file takes some ten µs to read, and ten times that by promises.
 */
export class CompileCache {
  constructor(readonly folder: string) {}

  read(request: CompileRequest): CompiledModule | undefined {
    try {
      return moduleIn(readFileSync(this.pathOf(request), 'utf8'), request);
    } catch {
      return undefined; // Not compiled before, or torn.
    }
  }

  write(request: CompileRequest, module: CompiledModule): void {
    this.put(this.pathOf(request), textOf(request, module));
  }

  /** What this V8 made of the module's code; undefined as well when the file is damaged. */
  readScript(request: CompileRequest): Buffer | undefined {
    try {
      const kept = readFileSync(this.scriptPathOf(request));
      const data = kept.subarray(MARK_BYTES);
      return kept.subarray(0, MARK_BYTES).equals(markOf(request, data)) ? data : undefined;
    } catch {
      return undefined; // Not kept before.
    }
  }

  writeScript(request: CompileRequest, data: Buffer): void {
    this.put(this.scriptPathOf(request), Buffer.concat([markOf(request, data), data]));
  }

  /** Written beside and renamed over, because two windows share the folder. */
  private put(path: string, content: string | Buffer): void {
    const beside = `${path}.${randomUUID()}`;
    try {
      mkdirSync(this.folder, { recursive: true });
      writeFileSync(beside, content);
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

  private scriptPathOf(request: CompileRequest): string {
    return `${this.pathOf(request)}.${process.versions.v8}-${process.arch}`;
  }
}

/** sha256 of the source, and a checksum. */
const MARK_BYTES = 32 + 4;

/** V8 itself only compares the length of the code, and does not notice damage. */
function markOf({ hash }: CompileRequest, data: Buffer): Buffer {
  const mark = Buffer.alloc(MARK_BYTES);
  mark.write(hash, 'hex');
  mark.writeUInt32LE(crc32(data), MARK_BYTES - 4);
  return mark;
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
