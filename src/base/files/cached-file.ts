import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import zlib from 'node:zlib';

/**
 * Writes a file that can be made again, together with its folder. It writes another file and renames it to `path`, because
 * other processes may read at any time. Never throws: a file that cannot be written only costs time.
 * Returns whether it was written.
 */
export function putCachedFile(path: string, content: string | Buffer): boolean {
  const beside = `${path}.${randomUUID()}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(beside, content);
    renameSync(beside, path);
    return true;
  } catch {
    removed(beside);
    return false;
  }
}

function removed(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A folder that cannot be written to does not allow removing files either; the next start makes the file again.
  }
}

/** The name of the file with the bytecode for a file of code. V8 can only use what it made with the same version and flags. */
export function bytecodePath(codePath: string): string {
  return `${codePath}.${process.versions.v8}-${process.arch}-${cachedDataVersionTag().toString(16)}`;
}

/**
 * The bytecode that {@link putBytecode} stored for the same code; undefined if there is none or the file is damaged.
 * `codeMark` is a hash of the code. The marks are needed because V8 only compares the length of the code, and does not
 * notice damage.
 */
export function readBytecode(path: string, codeMark: Buffer): Buffer | undefined {
  try {
    const kept = readFileSync(path);
    const data = kept.subarray(codeMark.length + CRC_BYTES);
    return kept.subarray(0, -data.length).equals(marked(codeMark, data)) ? data : undefined;
  } catch {
    return undefined; // No bytecode was stored.
  }
}

/** Stores V8's bytecode of a script, as {@link putCachedFile} does. */
export function putBytecode(path: string, codeMark: Buffer, data: Buffer): boolean {
  return putCachedFile(path, Buffer.concat([marked(codeMark, data), data]));
}

const CRC_BYTES = 4;

function marked(codeMark: Buffer, data: Buffer): Buffer {
  return Buffer.concat([codeMark, crcOf(data)]);
}

/** Undefined in a Node that is too old for us. The program must come so far that it can say so. */
const crc32: typeof zlib.crc32 | undefined = zlib.crc32;

/** The CRC-32 of the data, in four bytes. */
export function crcOf(data: Buffer): Buffer {
  const crc = Buffer.alloc(CRC_BYTES);
  crc.writeUInt32LE(crc32?.(data) ?? 0);
  return crc;
}
