import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ModelsStore, ModelsStoreEntry } from '@mariozechner/pi-ai';
import { readRegularText } from '../../../base/files/regular-file';
import { isRecord } from '../../../base/json/is-record';
import { replaceLocked, withFileLock } from '../keys/file-lock';

/**
 * pi's `<agentDir>/models-store.json`: the models that providers found last, by provider. A file that cannot be read counts as
 * empty, and the next list replaces it.
 */
export class ModelsStoreFile implements ModelsStore {
  constructor(private readonly path: string) {}

  async read(provider: string): Promise<ModelsStoreEntry | undefined> {
    return (await this.readAll()).get(provider);
  }

  /** The entries by provider. */
  async readAll(): Promise<ReadonlyMap<string, ModelsStoreEntry>> {
    return new Map(
      Object.entries(await this.all()).filter((row): row is [string, ModelsStoreEntry] => isEntry(row[1])),
    );
  }

  write(provider: string, entry: ModelsStoreEntry): Promise<void> {
    return this.change(all => ({ ...all, [provider]: entry }));
  }

  delete(provider: string): Promise<void> {
    return this.change(({ [provider]: _gone, ...others }) => others);
  }

  private async all(): Promise<Readonly<Record<string, unknown>>> {
    try {
      const value: unknown = JSON.parse(await readRegularText(this.path));
      return isRecord(value) ? value : {};
    } catch {
      return {}; // There is no file yet, or it is incomplete.
    }
  }

  private async change(edit: (all: Readonly<Record<string, unknown>>) => object): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true });
    await withFileLock(this.path, async () => {
      await replaceLocked(this.path, `${JSON.stringify(edit(await this.all()), null, 2)}\n`);
    });
  }
}

function isEntry(value: unknown): boolean {
  return isRecord(value) && Array.isArray(value['models']);
}
