import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ContentPart, ImageContent } from '../messages';
import { describeImage } from './describe-image';
import { base64Length, IMAGE_LIMITS } from './image-limits';
import type { ShrinkRequest } from './image-worker';
import { shrinkImage, type ShrunkImage } from './shrink-image';

/** An image that models accept, with a note about its change; or the reason why there is none. */
export type FittedImage =
  | { readonly ok: true; readonly data: string; readonly mimeType: string; readonly hints: readonly string[] }
  | { readonly ok: false; readonly message: string };

/**
 * Shrinks an image for models, or converts one of a type that they do not accept. An image that is small enough stays as it is,
 * with its real type. The texts are those of today's pi.
 */
export async function fitImage(bytes: Buffer): Promise<FittedImage> {
  const { mimeType, width, height } = describeImage(bytes) ?? {};
  const isSmall =
    mimeType !== undefined &&
    width !== undefined &&
    height !== undefined &&
    width <= IMAGE_LIMITS.width &&
    height <= IMAGE_LIMITS.height &&
    base64Length(bytes.length) < IMAGE_LIMITS.base64Bytes;
  if (isSmall) return { ok: true, data: bytes.toString('base64'), mimeType, hints: [] };
  const shrunk = await shrinkElsewhere(bytes);
  if (shrunk === undefined) {
    return { ok: false, message: '[Image omitted: could not be resized below the inline image size limit.]' };
  }
  const note = dimensionNote(shrunk);
  const data = Buffer.from(shrunk.bytes).toString('base64');
  return { ok: true, data, mimeType: shrunk.mimeType, hints: note === undefined ? [] : [note] };
}

/** The note for the model about an image that was shrunk; undefined when it was not. */
export function dimensionNote({ original, size }: Pick<ShrunkImage, 'original' | 'size'>): string | undefined {
  if (original.width === size.width && original.height === size.height) return undefined;
  return (
    `[Image: original ${original.width}x${original.height}, displayed at ${size.width}x${size.height}. ` +
    `Multiply coordinates by ${(original.width / size.width).toFixed(2)} to map to original image.]`
  );
}

/**
 * Shrinks the images of a tool's result for models, each followed by a note about its change. An image that cannot be shrunk
 * stays, because the tool wants the model to see it. Returns the same list when nothing changes.
 */
export async function fitResultImages(content: ContentPart[]): Promise<ContentPart[]> {
  const parts = await Promise.all(content.map(async part => (part.type === 'image' ? fitPart(part) : [part])));
  return parts.every((given, index) => given[0] === content[index]) ? content : parts.flat();
}

async function fitPart(part: ImageContent): Promise<ContentPart[]> {
  const fitted = await fitImage(Buffer.from(part.data, 'base64'));
  if (!fitted.ok || (fitted.data === part.data && fitted.mimeType === part.mimeType)) return [part];
  const image: ImageContent = { ...part, data: fitted.data, mimeType: fitted.mimeType };
  return fitted.hints.length === 0 ? [image] : [image, { type: 'text', text: fitted.hints.join('\n') }];
}

/**
 * Shrinks the images of a prompt, and returns the notes for the end of its text. Images that cannot be read stay as
 * they are: the provider may accept them.
 */
export async function fitPromptImages(
  images: readonly ImageContent[],
): Promise<{ readonly images: readonly ImageContent[]; readonly hints: readonly string[] }> {
  const fitted = await Promise.all(
    images.map(async image => {
      const bytes = Buffer.from(image.data, 'base64');
      const fit = await fitImage(bytes);
      if (!fit.ok && describeImage(bytes) === undefined) return { image, hints: [] };
      if (!fit.ok) return { image: undefined, hints: [fit.message] };
      return { image: { ...image, data: fit.data, mimeType: fit.mimeType }, hints: fit.hints };
    }),
  );
  return {
    images: fitted.flatMap(({ image }) => (image === undefined ? [] : [image])),
    hints: fitted.flatMap(({ hints }) => hints),
  };
}

const WORKER = new URL('./image-worker.js', import.meta.url);

/**
 * Calls {@link shrinkImage} in a worker that ends afterwards. If there is no worker file, as in tests, it runs in this thread.
 */
export async function shrinkElsewhere(bytes: Buffer, limits = IMAGE_LIMITS): Promise<ShrunkImage | undefined> {
  if (!existsSync(fileURLToPath(WORKER))) return shrinkImage(bytes, limits);
  const worker = new Worker(WORKER);
  try {
    return await new Promise<ShrunkImage | undefined>((resolve, reject) => {
      worker.once('message', ({ shrunk }: { readonly shrunk: ShrunkImage | undefined }) => resolve(shrunk));
      worker.once('error', reject);
      worker.once('exit', () => resolve(undefined));
      worker.postMessage({ bytes: new Uint8Array(bytes), limits } satisfies ShrinkRequest);
    });
  } finally {
    await worker.terminate();
  }
}
