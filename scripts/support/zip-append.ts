import { storedZip } from '../../src/vscode/palette/stored-zip.ts';
import { UserError } from './fail.mjs';

const END_OF_DIRECTORY = 0x06054b50;
/** Length of the last record of an archive without a comment, as vsce writes it. */
const END_LENGTH = 22;
/** Offsets in that record; the last one is an offset in an entry of the directory. */
const COUNTS = [8, 10];
const DIRECTORY_LENGTH = 12;
const DIRECTORY_OFFSET = 16;
const LOCAL_OFFSET = 42;

/**
 * Returns the zip archive with one more file, which is not compressed. `path` uses forward slashes and must not exist yet.
 * @throws {UserError} when the archive has a comment, or is not a zip archive
 */
export function withFile(zip: Buffer, path: string, content: Uint8Array): Buffer {
  const end = Buffer.from(zip.subarray(-END_LENGTH));
  if (end.length < END_LENGTH || end.readUInt32LE(0) !== END_OF_DIRECTORY) {
    throw new UserError('this is not a zip archive');
  }
  const before = zip.subarray(0, end.readUInt32LE(DIRECTORY_OFFSET));
  const directory = zip.subarray(before.length, -END_LENGTH);

  const added = storedZip(path, content);
  const addedEnd = added.subarray(-END_LENGTH);
  const local = added.subarray(0, addedEnd.readUInt32LE(DIRECTORY_OFFSET));
  const entry = Buffer.from(added.subarray(local.length, -END_LENGTH));
  entry.writeUInt32LE(before.length, LOCAL_OFFSET);

  for (const place of COUNTS) end.writeUInt16LE(end.readUInt16LE(place) + 1, place);
  end.writeUInt32LE(directory.length + entry.length, DIRECTORY_LENGTH);
  end.writeUInt32LE(before.length + local.length, DIRECTORY_OFFSET);
  return Buffer.concat([before, local, directory, entry, end]);
}
