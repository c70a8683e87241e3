import { open } from 'node:fs/promises';
import { describeImage } from '../../../agent/images/describe-image';
import { dimensionNote, shrinkElsewhere } from '../../../agent/images/fit-images';
import { base64Length, IMAGE_LIMITS } from '../../../agent/images/image-limits';
import { imageAsPng } from '../../../agent/images/shrink-image';

/** How many bytes at the start of a file are enough to detect the type of an image. */
const HEAD_BYTES = 4100;

/** An image as pi's `resizeImage` gives it. */
export interface ResizedImage {
  readonly data: string;
  readonly mimeType: string;
  readonly originalWidth: number;
  readonly originalHeight: number;
  readonly width: number;
  readonly height: number;
  readonly wasResized: boolean;
}

/**
 * The MIME type of an image file by its content; null when models do not take it. Rejects when the file cannot be read.
 */
export async function detectSupportedImageMimeTypeFromFile(path: string): Promise<string | null> {
  const file = await open(path, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
    return describeImage(head.subarray(0, bytesRead))?.mimeType ?? null;
  } finally {
    await file.close();
  }
}

/**
 * Makes an image fit into the limits (pixels; `maxBytes` counts base64). An image that fits stays unchanged. Null when
 * `bytes` are not an image, or it cannot be made small enough.
 */
export async function resizeImage(
  bytes: Uint8Array,
  mimeType: string,
  options: { readonly maxWidth?: number; readonly maxHeight?: number; readonly maxBytes?: number } = {},
): Promise<ResizedImage | null> {
  const limits = {
    width: options.maxWidth ?? IMAGE_LIMITS.width,
    height: options.maxHeight ?? IMAGE_LIMITS.height,
    base64Bytes: options.maxBytes ?? IMAGE_LIMITS.base64Bytes,
  };
  const own = Buffer.from(bytes);
  const { width, height } = describeImage(own) ?? {};
  if (width !== undefined && height !== undefined && width <= limits.width && height <= limits.height) {
    if (base64Length(own.length) < limits.base64Bytes) {
      const size = { originalWidth: width, originalHeight: height, width, height };
      return { data: own.toString('base64'), mimeType, ...size, wasResized: false };
    }
  }
  const shrunk = await shrinkElsewhere(own, limits);
  if (shrunk === undefined) return null;
  const { original, size } = shrunk;
  return {
    data: Buffer.from(shrunk.bytes).toString('base64'),
    mimeType: shrunk.mimeType,
    originalWidth: original.width,
    originalHeight: original.height,
    ...size,
    wasResized: true,
  };
}

/** The note for the model about a changed image size; undefined when the size did not change. */
export function formatDimensionNote(image: ResizedImage): string | undefined {
  if (!image.wasResized) return undefined;
  const { originalWidth, originalHeight, width, height } = image;
  return dimensionNote({ original: { width: originalWidth, height: originalHeight }, size: { width, height } });
}

/** Converts an image to PNG, both as base64; null when it cannot be read as an image. */
export async function convertToPng(data: string, mimeType: string): Promise<{ data: string; mimeType: string } | null> {
  if (mimeType === 'image/png') return { data, mimeType };
  const png = await imageAsPng(Buffer.from(data, 'base64'));
  return png === undefined ? null : { data: Buffer.from(png).toString('base64'), mimeType: 'image/png' };
}
