import * as l10n from '@vscode/l10n';
import type { Image } from '../../src/protocol/chat-item';

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
  const name = file.name || l10n.t('The pasted file');
  if (!IMAGE_TYPES.has(file.type)) {
    return l10n.t('{0} cannot be attached: only PNG, JPEG, GIF and WebP images can.', name);
  }
  if (file.size <= LARGEST_IMAGE) return undefined;
  return l10n.t('{0} is {1} MB; images of up to 5 MB can be attached.', name, (file.size / 1024 / 1024).toFixed(1));
}

/** Reads an image into memory; rejects with the file's name when it cannot be read. */
export function readImage(file: File): Promise<Image> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () =>
      reject(
        new Error(l10n.t('{0} could not be read: {1}', file.name, reader.error?.message ?? l10n.t('unknown reason'))),
      );
    reader.onload = () => {
      const url = typeof reader.result === 'string' ? reader.result : '';
      resolve({ type: 'image', mimeType: file.type, data: url.slice(url.indexOf(',') + 1) });
    };
    reader.readAsDataURL(file);
  });
}
