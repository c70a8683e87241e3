import type { HookFile } from '../../hook-load/files/discover';
import type { SourceReads } from '../../hook-load/graph/source-reads';
import { changedFiles, type Compared } from './changed-files';

export interface UntrustedHooksParts {
  /** The hooks that wait for trust in the folder. */
  readonly list: () => Promise<readonly HookFile[]>;
  /** Reads a hook and all that it imports; nothing of it runs. */
  readonly read: (file: HookFile) => Promise<Compared>;
}

/**
 * Distinguishes hooks of a folder that is not trusted: what tools made or changed has to wait for approval when the user trusts
 * the folder, and what was there before does not.
 */
export class UntrustedHooks {
  /** The hooks before the calls of this round, by path. */
  private before: ReadonlyMap<string, Compared> = new Map();
  private readonly changed = new Set<string>();
  private noting: Promise<void> | undefined;

  constructor(private readonly parts: UntrustedHooksParts) {}

  /** Paths of the hooks that tools made or changed while the folder was not trusted. */
  get changedByTools(): ReadonlySet<string> {
    return this.changed;
  }

  /** Notes what is there. Call this before the first call of a round, and let the call wait for it. Never rejects. */
  note(): Promise<void> {
    this.noting ??= this.noteNow().finally(() => (this.noting = undefined));
    return this.noting;
  }

  /** Call this at each check while the folder is not trusted and changes count as the agent's. */
  async check(reads: SourceReads): Promise<void> {
    for (const { path } of await this.parts.list()) if (!this.isAsBefore(path, reads)) this.changed.add(path);
  }

  /** Whether a hook, with all that it imports, is what was there before the calls. */
  isAsBefore(path: string, reads: SourceReads): boolean {
    const content = this.before.get(path);
    return content !== undefined && !this.changed.has(path) && changedFiles(content, reads).length === 0;
  }

  private async noteNow(): Promise<void> {
    try {
      const files = await this.parts.list();
      this.before = new Map(
        await Promise.all(files.map(async file => [file.path, await this.parts.read(file)] as const)),
      );
    } catch {
      this.before = new Map(); // Then all of them count as the agent's.
    }
  }
}
