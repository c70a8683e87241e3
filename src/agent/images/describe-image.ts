/** What the first bytes of an image show. */
export interface ImageInfo {
  readonly mimeType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  /** Pixels; missing when the header is damaged or lies beyond the bytes given. */
  readonly width?: number;
  readonly height?: number;
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const START_OF_FRAME = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]);

/** Recognizes png, jpeg, gif and webp by content, and not by the name of the file. */
export function describeImage(bytes: Buffer): ImageInfo | undefined {
  if (bytes.subarray(0, 8).equals(PNG)) return { mimeType: 'image/png', ...pngSize(bytes) };
  if (/^GIF8[79]a$/.test(ascii(bytes, 0, 6))) return { mimeType: 'image/gif', ...gifSize(bytes) };
  if (ascii(bytes, 0, 4) === 'RIFF' && ascii(bytes, 8, 12) === 'WEBP') {
    return { mimeType: 'image/webp', ...webpSize(bytes) };
  }
  if (bytes.length >= 3 && bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) {
    return { mimeType: 'image/jpeg', ...jpegSize(bytes) };
  }
  return undefined;
}

/**
 * Whether bytes are the beginning of a Windows bitmap, which models do not accept. Its first two letters alone do not prove that.
 */
export function isBitmap(bytes: Buffer): boolean {
  if (ascii(bytes, 0, 2) !== 'BM' || bytes.length < 30) return false;
  const headerBytes = bytes.readUInt32LE(14);
  if (bytes.readUInt32LE(10) < 14 + headerBytes) return false;
  const at = headerBytes === 12 ? 22 : 26;
  const isKnown = headerBytes === 12 || (headerBytes >= 40 && headerBytes <= 124);
  return isKnown && bytes.readUInt16LE(at) === 1 && [1, 4, 8, 16, 24, 32].includes(bytes.readUInt16LE(at + 2));
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function ascii(bytes: Buffer, from: number, to: number): string {
  return bytes.toString('latin1', from, to);
}

function pngSize(bytes: Buffer): Size | undefined {
  return bytes.length < 24 ? undefined : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gifSize(bytes: Buffer): Size | undefined {
  return bytes.length < 10 ? undefined : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function webpSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 30) return undefined;
  switch (ascii(bytes, 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const packed = bytes.readUInt32LE(21);
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** Walks the segments to the frame header. */
function jpegSize(bytes: Buffer): Size | undefined {
  let position = 2;
  while (position + 9 <= bytes.length) {
    const marker = bytes[position + 1] ?? 0;
    if (bytes[position] !== 0xff) return undefined;
    if (START_OF_FRAME.has(marker)) {
      return { height: bytes.readUInt16BE(position + 5), width: bytes.readUInt16BE(position + 7) };
    }
    const isFill = marker === 0xff;
    position += isFill ? 1 : 2 + bytes.readUInt16BE(position + 2);
  }
  return undefined;
}
