import type { ImageRef } from '../../src/protocol/chat-item';

/** Largest image that can be attached, in bytes. */
export const LARGEST_IMAGE = 5 * 1024 * 1024;
const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Whether a file is a picture of a kind that models take. */
export function isImage(file: { readonly type: string }): boolean {
  return IMAGE_TYPES.has(file.type);
}

/** Why a file cannot be attached, for the person who tried; undefined when it can. */
export function imageProblem(file: {
  readonly name: string;
  readonly type: string;
  readonly size: number;
}): string | undefined {
  const name = file.name || 'The pasted file';
  if (!IMAGE_TYPES.has(file.type)) return `${name} cannot be attached: only PNG, JPEG, GIF and WebP images can.`;
  if (file.size <= LARGEST_IMAGE) return undefined;
  return `${name} is ${(file.size / 1024 / 1024).toFixed(1)} MB; images of up to 5 MB can be attached.`;
}

/** Reads an image into memory; rejects with the file's name when it cannot be read. */
export function readImage(file: File): Promise<ImageRef> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => {
      reject(new Error(`${file.name} could not be read: ${reader.error?.message ?? 'unknown reason'}`));
    };
    reader.onload = () => {
      const url = typeof reader.result === 'string' ? reader.result : '';
      resolve({ mimeType: file.type, data: url.slice(url.indexOf(',') + 1) });
    };
    reader.readAsDataURL(file);
  });
}
