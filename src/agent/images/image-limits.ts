/** What pi 1.5.2 lets an image be: pixels a side, and bytes of base64 below the 5 MB that providers refuse. */
export const IMAGE_LIMITS = { side: 2000, base64Bytes: 4.5 * 1024 * 1024 } as const;

/** Bytes of an image as base64. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
