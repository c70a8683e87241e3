import { crc32 } from 'node:zlib';

const LOCAL_HEADER = 0x04034b50;
const DIRECTORY_ENTRY = 0x02014b50;
const END_OF_DIRECTORY = 0x06054b50;
/** Version 1.0 of the zip format, which can unpack files that are stored without compression. */
const VERSION_NEEDED = 10;
/** Says that file names are UTF-8. */
const FLAGS = 1 << 11;
/** January 1, 1980: a fixed date, so that the same content always gives the same bytes. */
const DATE = (1 << 5) | 1;

/**
 * Makes a zip archive with one uncompressed file. Equal input gives equal bytes. `content` must be smaller than 4 GB, and
 * `path` uses forward slashes. This code is smaller than any library.
 */
export function storedZip(path: string, content: Uint8Array): Buffer {
  const name = Buffer.from(path, 'utf8');
  const common = commonFields(name, content);
  const local = Buffer.concat([uint32(LOCAL_HEADER), common, name]);
  // The 14 zero bytes are: comment length, disk, internal and external attributes, offset of the local header.
  const entry = Buffer.concat([uint32(DIRECTORY_ENTRY), uint16(VERSION_NEEDED), common, Buffer.alloc(14), name]);
  const end = Buffer.concat([
    uint32(END_OF_DIRECTORY),
    ...[0, 0, 1, 1].map(uint16),
    uint32(entry.length),
    uint32(local.length + content.length),
    uint16(0),
  ]);
  return Buffer.concat([local, content, entry, end]);
}

/** The fields that the local header and the directory entry have in common, in their order. */
function commonFields(name: Buffer, content: Uint8Array): Buffer {
  const stored = 0;
  return Buffer.concat([
    ...[VERSION_NEEDED, FLAGS, stored, 0, DATE].map(uint16),
    uint32(crc32(content)),
    uint32(content.length),
    uint32(content.length),
    uint16(name.length),
    uint16(0),
  ]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}
