import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { WorkspaceCommands } from './companion-manifest';
import { defined } from '../../base/defined';

const Record = Type.Object({
  folder: Type.Optional(Type.String()),
  commands: Type.Array(Type.Object({ name: Type.String(), description: Type.String() })),
});

const SUFFIX = '.json';

/** The hook commands that a window stores for all windows. */
export interface StoredCommands extends WorkspaceCommands {
  /** Absolute path of the folder; undefined without one. When it no longer exists, the record is deleted. */
  readonly folder: string | undefined;
}

/** The hook commands of all workspaces, shared by all windows. Each workspace has a file, which only its windows write. */
export class WorkspaceCommandStore {
  /** `dir`: absolute path of the folder; it is created by the first `put`. */
  constructor(private readonly dir: string) {}

  async put({ hash, folder, commands }: StoredCommands): Promise<void> {
    await mkdir(this.dir, { recursive: true });
    const file = this.file(hash);
    // Renames a complete file, because another window may be reading.
    const draft = `${file}.${process.pid}`;
    await writeFile(draft, JSON.stringify({ ...defined({ folder }), commands }));
    await rename(draft, file);
  }

  async remove(hash: string): Promise<void> {
    await rm(this.file(hash), { force: true });
  }

  /** The commands of all workspaces that still exist, in a fixed order. Files that cannot be read are deleted. */
  async all(): Promise<readonly WorkspaceCommands[]> {
    const names = existsSync(this.dir) ? (await readdir(this.dir)).filter(name => name.endsWith(SUFFIX)).sort() : [];
    const workspaces: WorkspaceCommands[] = [];
    for (const name of names) {
      const hash = name.slice(0, -SUFFIX.length);
      const record = await this.read(hash);
      if (record === undefined || (record.folder !== undefined && !existsSync(record.folder))) await this.remove(hash);
      else workspaces.push({ hash, commands: record.commands });
    }
    return workspaces;
  }

  private async read(hash: string): Promise<Omit<StoredCommands, 'hash'> | undefined> {
    try {
      const record: unknown = JSON.parse(await readFile(this.file(hash), 'utf8'));
      if (!Value.Check(Record, record)) return undefined;
      return { folder: record.folder, commands: record.commands };
    } catch {
      return undefined; // The file is not complete or was just removed. Its window writes it again.
    }
  }

  private file(hash: string): string {
    return join(this.dir, `${hash}${SUFFIX}`);
  }
}
