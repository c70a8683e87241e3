import { open, type FileHandle } from 'node:fs/promises';

/** How a disk fails at the next write of a whole content to an open file. */
export interface Failure {
  /** How many bytes reach the file. */
  readonly bytes: number;
  /** No later write succeeds either, so that nothing can be put back. */
  readonly lasts?: boolean;
  /** Called before anything is written. */
  readonly before?: () => void;
}

/** Lets the next write of a whole content fail while `run` runs. `path` is any file that exists. */
export async function onFullDisk<T>(path: string, failure: Failure, run: () => Promise<T>): Promise<T> {
  const handle = await open(path);
  const prototype = Object.getPrototypeOf(handle) as Record<'writeFile' | 'write', (...args: never[]) => unknown>;
  await handle.close();
  const { writeFile, write } = prototype;
  const full = (): Error => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  prototype.writeFile = async function (this: FileHandle, content: string | Buffer): Promise<void> {
    prototype.writeFile = writeFile;
    failure.before?.();
    await this.write(Buffer.from(content).subarray(0, failure.bytes));
    if (failure.lasts === true) prototype.write = () => Promise.reject(full());
    throw full();
  };
  try {
    return await run();
  } finally {
    Object.assign(prototype, { writeFile, write });
  }
}
