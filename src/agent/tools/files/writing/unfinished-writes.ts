import { realpath } from 'node:fs/promises';
import { Emitter } from '../../../../base/event';
import { readRegular } from '../../../../base/files/regular-file';
import { withFileQueue } from './mutation-queue';
import { overwriteAt } from './overwrite-file';
import { MOST_KEPT_BYTES } from './replace-file';
import type { OverdueWrite, RecordedWrite, WriteRecords } from './write-records';

/** A file that holds only a part of what was written to it, because the process ended. */
export interface UnfinishedWrite extends OverdueWrite {
  /** What the file holds now; undefined: it is missing, or cannot be read. */
  readonly now: Buffer | undefined;
  /** The unfinished write alone does not explain what the file holds: somebody may have changed it since. */
  readonly isChanged: boolean;
}

/** The files whose writing ended with a process, and what a user can do about them. */
export class UnfinishedWrites {
  private readonly changeEmitter = new Emitter<void>();
  readonly onDidChange = this.changeEmitter.event;
  private found: readonly UnfinishedWrite[] = [];

  private constructor(private readonly records: WriteRecords) {}

  /** Looks at what earlier processes left. Never rejects. */
  static async open(records: WriteRecords): Promise<UnfinishedWrites> {
    const writes = new UnfinishedWrites(records);
    writes.found = await writes.look();
    return writes;
  }

  /** As they were looked at last; the latest first. */
  get list(): readonly UnfinishedWrite[] {
    return this.found;
  }

  /**
   * Gives a file the content from before the write. False, without writing, if the file changed since it was looked at, or the
   * write is not there any more. Rejects when the file cannot be written.
   */
  async putBack({ id, now }: UnfinishedWrite): Promise<boolean> {
    const write = (await this.look()).find(each => each.id === id);
    const isSame = write !== undefined && isEqual(write.now, now);
    if (isSame) {
      const { path, before } = write;
      // No link is followed, and a file that is made again may have been secret.
      const writing = { records: this.records, admit: () => Promise.resolve(), newMode: 0o600 };
      await withFileQueue(path, () => overwriteAt(path, [before], writing));
      await this.records.end(id);
    }
    await this.refresh();
    return isSame;
  }

  /** Leaves a file as it is, and removes the recorded content from before the write. */
  async keep({ id }: UnfinishedWrite): Promise<void> {
    await this.records.end(id);
    await this.refresh();
  }

  /** Looks again; others may have decided, too. */
  async refresh(): Promise<void> {
    this.found = await this.look();
    this.changeEmitter.fire();
  }

  private async look(): Promise<readonly UnfinishedWrite[]> {
    const found: UnfinishedWrite[] = [];
    for (const write of await this.records.overdue()) {
      const now = await contentOf(write.path);
      if (isEqual(now, write.before) || isEqual(now, write.after)) await this.records.end(write.id);
      else found.push({ ...write, now, isChanged: now === undefined || !isCut(now, write) });
    }
    return found;
  }
}

/** Whether the file holds a first part of the new content, and what the old one has behind it. */
function isCut(now: Buffer, { before, after }: RecordedWrite): boolean {
  const length = commonLength(now, after);
  return now.subarray(length).equals(before.subarray(length));
}

/** How many bytes at the start of both are equal. */
function commonLength(one: Buffer, other: Buffer): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length++;
  return length;
}

function isEqual(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}

/** Undefined for what is missing, cannot be read, or is now reached through a link. */
async function contentOf(path: string): Promise<Buffer | undefined> {
  try {
    return (await realpath(path)) === path ? await readRegular(path, { most: MOST_KEPT_BYTES }) : undefined;
  } catch {
    return undefined;
  }
}
