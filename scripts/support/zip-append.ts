import { storedZip } from '../../src/vscode/palette/stored-zip.ts';
import { UserError } from './fail.mjs';

const END_OF_DIRECTORY = 0x06054b50;
/** Of the last record of an archive without a comment, as vsce writes it. */
const END_LENGTH = 22;
/** Where things stand in that record, and in an entry of the directory. */
const COUNTS = [8, 10];
const DIRECTORY_LENGTH = 12;
const DIRECTORY_OFFSET = 16;
const LOCAL_OFFSET = 42;

/**
 * The zip archive with one more file, uncompressed. `path` uses forward slashes and must be new.
 * @throws {UserError} when the archive has a comment, or is none
 */
export function withFile(zip: Buffer, path: string, content: Uint8Array): Buffer {
  const end = Buffer.from(zip.subarray(-END_LENGTH));
  if (end.length < END_LENGTH || end.readUInt32LE(0) !== END_OF_DIRECTORY) {
    throw new UserError('this is no zip archive');
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
