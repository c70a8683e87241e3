import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bytecodePath, putBytecode, putCachedFile, readBytecode } from '../../base/files/cached-file';
import { areModuleRequests } from './module-requests';
import { hashOf } from '../../base/files/hash-of';
import type { CompiledModule, CompileRequest } from './compile';
import { splitMap } from './source-map';

/** Change this when the compiled form changes without a new extension version. */
const FORMAT = 12;

/**
 * Compiled modules on disk: one file per source file and module kind, which an edit of the source replaces, another file
 * for its source map, and another one for V8's bytecode of that module. A hook also has up to two for what was found
 * in its texts. The folder's name contains the extension's version, because another version may compile the same
 * source differently. A cache that cannot be read or written only costs time: nothing throws. Files are read and written
 * synchronously, since that takes some ten µs and promises take ten times as long.
 */
export class CompileCache {
  /** Without their endings, by file. */
  private readonly paths = new Map<string, string>();

  constructor(readonly folder: string) {}

  /** The module without its source map; undefined when it was not compiled before, or the file is incomplete. */
  read(request: CompileRequest): CompiledModule | undefined {
    try {
      return moduleIn(readFileSync(this.pathOf(request)), request);
    } catch {
      return undefined;
    }
  }

  /** The source map of the module that {@link read} gives, as it stands at the end of compiled code; undefined as there. */
  readMap(request: CompileRequest): string | undefined {
    try {
      const kept = readFileSync(this.mapPathOf(request));
      const header = Buffer.from(`${request.hash}\n`);
      const isWhole = kept.subarray(0, header.length).equals(header) && kept.at(-1) === NEW_LINE;
      return isWhole ? kept.toString('utf8', header.length - 1) : undefined;
    } catch {
      return undefined;
    }
  }

  /** `module`: with its source map. */
  write(request: CompileRequest, module: CompiledModule): void {
    const { bare, map } = splitMap(module.code);
    if (map !== '') putCachedFile(this.mapPathOf(request), `${request.hash}${map}`);
    putCachedFile(this.pathOf(request), textOf(request, { ...module, code: bare }));
  }

  /** The text that {@link writeNote} stored for the same key. */
  readNote(kind: NoteKind, { file, hash }: NoteKey): string | undefined {
    try {
      const kept = readFileSync(this.pathFor(file, `.${kind}`), 'utf8');
      return kept.startsWith(`${hash}\n`) && kept.endsWith('\n') ? kept.slice(hash.length) : undefined;
    } catch {
      return undefined; // Nothing was stored.
    }
  }

  writeNote(kind: NoteKind, { file, hash }: NoteKey, text: string): void {
    putCachedFile(this.pathFor(file, `.${kind}`), `${hash}\n${text}\n`);
  }

  /** V8's bytecode of the module's code, for this version of V8; undefined if there is none or the file is damaged. */
  readScript(request: CompileRequest): Buffer | undefined {
    return readBytecode(bytecodePath(this.pathOf(request)), markOf(request));
  }

  writeScript(request: CompileRequest, data: Buffer): void {
    putBytecode(bytecodePath(this.pathOf(request)), markOf(request), data);
  }

  private pathOf({ file, async }: CompileRequest): string {
    return this.pathFor(file, async ? '.mjs' : '.cjs');
  }

  private pathFor(file: string, ending: string): string {
    const known = this.paths.get(file);
    if (known !== undefined) return known + ending;
    const name = basename(file)
      .replace(/[^\w.-]/g, '_')
      .slice(0, 60);
    const path = join(this.folder, `${name}-${hashOf(file).slice(0, 16)}`);
    this.paths.set(file, path);
    return path + ending;
  }

  private mapPathOf(request: CompileRequest): string {
    return `${this.pathOf(request)}.map`;
  }
}

/** What was found in the texts of a hook: the evidence of its dialect, which names they contain. */
type NoteKind = 'evidence' | 'names';

/** The entry of a hook, and a hash of the texts that the note depends on. */
type NoteKey = Pick<CompileRequest, 'file' | 'hash'>;

function markOf({ hash }: CompileRequest): Buffer {
  return Buffer.from(hash, 'hex');
}

/** The folder of the compiled modules of one version of the extension. */
export function compileCacheFolder(cacheDir: string, extensionVersion: string): string {
  return join(cacheDir, `hooks-${extensionVersion}-${FORMAT}`);
}

function headerOf(request: CompileRequest): string {
  return `// ${request.hash}\n// `;
}

function textOf(request: CompileRequest, { code, requests }: CompiledModule): string {
  return `${headerOf(request)}${JSON.stringify(requests)}\n${code}`;
}

/**
 * Undefined when the source has changed or the end is missing.
 * @throws SyntaxError when the line of `requests` is damaged
 */
function moduleIn(cached: Buffer, request: CompileRequest): CompiledModule | undefined {
  const header = Buffer.from(headerOf(request));
  if (!cached.subarray(0, header.length).equals(header) || cached.at(-1) !== NEW_LINE) return undefined;
  const end = cached.indexOf(NEW_LINE, header.length);
  const requests: unknown = JSON.parse(cached.toString('utf8', header.length, end));
  return areModuleRequests(requests) ? { requests, code: cached.toString('utf8', end + 1) } : undefined;
}

const NEW_LINE = 0x0a;
