/** How large an image may be: pixels each way, and bytes of base64. */
export interface ImageLimits {
  readonly width: number;
  readonly height: number;
  readonly base64Bytes: number;
}

/** The limits of today's pi for images; the bytes are below the 5 MB that providers refuse. */
export const IMAGE_LIMITS: ImageLimits = { width: 2000, height: 2000, base64Bytes: 4.5 * 1024 * 1024 };

/** Bytes of an image as base64. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
