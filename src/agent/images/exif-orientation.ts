const ORIENTATION = 0x0112;
const APP1 = 0xe1;

/** The EXIF orientation of an image, from 1 (upright) to 8; 1 when it has none. */
export function exifOrientation(image: Uint8Array): number {
  const bytes = Buffer.from(image.buffer, image.byteOffset, image.byteLength);
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return 1;
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const isExif = bytes[at + 1] === APP1 && bytes.toString('latin1', at + 4, at + 10) === 'Exif\0\0';
    if (isExif) return orientationIn(bytes.subarray(at + 10));
  }
  return 1;
}

function orientationIn(tiff: Buffer): number {
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const read16 = (at: number): number => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  try {
    const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
    for (let entry = 0; entry < read16(directory); entry++) {
      const at = directory + 2 + entry * 12;
      if (read16(at) !== ORIENTATION) continue;
      const value = read16(at + 8);
      return value >= 1 && value <= 8 ? value : 1;
    }
  } catch {
    // Cut off or damaged: the orientation is not known.
  }
  return 1;
}
