import { isRecord } from '../../base/json/is-record';
import type { CompileRequest } from './compile/compile';
import type { CompileCache } from './compile/compile-cache';
import { areModuleRequests, type ModuleRequest } from './module-requests';

/**
 * Which modules the files of a hook ask for, stored in one file per hook. A hook with many files starts faster with it: the
 * compiled code of a file is read only when it runs. The entry is not included, so a hook of one file needs no such file.
 */
export class KnownRequests {
  private stored: Readonly<Record<string, unknown>> | undefined;
  private readonly used: Record<string, readonly ModuleRequest[]> = {};
  private hasMore = false;

  constructor(
    private readonly entry: CompileRequest,
    private readonly cache: CompileCache,
  ) {}

  /** Undefined when this text of the file was not compiled at an earlier load of the hook. */
  of(request: CompileRequest): readonly ModuleRequest[] | undefined {
    if (request === this.entry) return undefined;
    this.stored ??= recordIn(this.cache.readNote('requests', this.entry));
    const known = this.stored[keyOf(request)];
    return areModuleRequests(known) ? known : undefined;
  }

  /** To be called for each file of this load. */
  add(request: CompileRequest, requests: readonly ModuleRequest[]): void {
    if (request === this.entry) return;
    const key = keyOf(request);
    this.used[key] = requests;
    if (this.stored?.[key] !== requests) this.hasMore = true;
  }

  /** Stores the requests of all files of this load if some were not known. */
  keep(): void {
    if (this.hasMore) this.cache.writeNote('requests', this.entry, JSON.stringify(this.used));
  }
}

function keyOf({ file, hash, async }: CompileRequest): string {
  return `${hash} ${async ? 'import' : 'require'} ${file}`;
}

function recordIn(stored: string | undefined): Readonly<Record<string, unknown>> {
  if (stored === undefined) return {};
  try {
    const read: unknown = JSON.parse(stored);
    return isRecord(read) ? read : {};
  } catch {
    return {}; // The file is damaged, so the code of all files is read.
  }
}
