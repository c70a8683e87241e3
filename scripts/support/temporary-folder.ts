import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Linux keeps the files of this folder in memory. */
const MEMORY = '/dev/shm';
const LEAST_BYTES = 4 * 1024 ** 3;

/**
 * Lets this process and the programs that it starts keep their temporary files in memory, because tests make and remove many
 * small files. Does nothing where memory has too little room or programs cannot run from it, as in most containers.
 */
export function keepTemporaryFilesInMemory(): void {
  const folder = makeMemoryFolder();
  if (folder === undefined) return;
  process.env['TMPDIR'] = folder;
  process.once('exit', () => remove(folder));
}

/** Makes the folder of this process, and removes the folders of earlier runs that were killed. */
function makeMemoryFolder(): string | undefined {
  if (process.platform !== 'linux' || !existsSync(MEMORY)) return undefined;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize < LEAST_BYTES) return undefined;
  try {
    const ours = join(MEMORY, `hookline-${process.getuid?.() ?? 0}`, pidNamespace());
    const folder = join(ours, String(process.pid));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const pid of readdirSync(ours).filter(pid => !existsSync(join('/proc', pid)))) remove(join(ours, pid));
    if (runsPrograms(folder)) return folder;
    remove(folder);
  } catch {
    // The folder belongs to somebody else, or memory is full.
  }
  return undefined;
}

/** Tells apart containers that share this memory: in each, the same pid is another process, whose folder must stay. */
function pidNamespace(): string {
  return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '');
}

function runsPrograms(folder: string): boolean {
  const file = join(folder, 'program');
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(file);
  remove(file);
  return status === 0;
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
