import type * as PhotonModule from '@silvia-odwyer/photon-node';
import type { PhotonImage } from '@silvia-odwyer/photon-node';
import { exifOrientation } from './exif-orientation';
import { base64Length, IMAGE_LIMITS, type ImageLimits } from './image-limits';

type Photon = typeof PhotonModule;

/** An image within the limits, and the sizes that it had and has. */
export interface ShrunkImage {
  readonly bytes: Uint8Array;
  readonly mimeType: 'image/png' | 'image/jpeg';
  readonly original: ImageSize;
  readonly size: ImageSize;
}

/** In pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** From the best quality to the smallest size. The first one is also compared with PNG. */
const JPEG_QUALITIES = [80, 85, 70, 55, 40];

/**
 * Makes an image small enough for models, upright, as PNG or JPEG. Undefined when it cannot be read or made small
 * enough. It takes the thread for as long as a second: `image-worker.ts` keeps it off the extension host's.
 */
export async function shrinkImage(bytes: Uint8Array, limits = IMAGE_LIMITS): Promise<ShrunkImage | undefined> {
  const photon = await loadPhoton();
  let image: PhotonImage | undefined;
  try {
    image = upright(photon, photon.PhotonImage.new_from_byteslice(bytes), exifOrientation(bytes));
    const original = { width: image.get_width(), height: image.get_height() };
    for (let size = within(original, limits); ; size = scaled(size, 0.75)) {
      for (const found of encoded(photon, image, size)) {
        if (base64Length(found.bytes.length) < limits.base64Bytes) return { ...found, original, size };
      }
      if (size.width === 1 && size.height === 1) return undefined;
    }
  } catch {
    // No image, or a damaged one: the caller reports that.
    return undefined;
  } finally {
    image?.free();
  }
}

/** An image upright and as PNG; undefined when it cannot be read. It takes the thread as {@link shrinkImage} does. */
export async function imageAsPng(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const photon = await loadPhoton();
  let image: PhotonImage | undefined;
  try {
    image = upright(photon, photon.PhotonImage.new_from_byteslice(bytes), exifOrientation(bytes));
    return image.get_bytes();
  } catch {
    return undefined; // No image, or a damaged one: the caller reports that.
  } finally {
    image?.free();
  }
}

async function loadPhoton(): Promise<Photon> {
  const loaded: Photon & { readonly default?: Photon } = await import('@silvia-odwyer/photon-node');
  // A bundled CommonJS module has all its members in `default`.
  return loaded.default ?? loaded;
}

function within({ width, height }: ImageSize, limits: ImageLimits): ImageSize {
  const size =
    width > limits.width
      ? { width: limits.width, height: Math.max(1, Math.round((height * limits.width) / width)) }
      : { width, height };
  if (size.height <= limits.height) return size;
  return { width: Math.max(1, Math.round((size.width * limits.height) / size.height)), height: limits.height };
}

function scaled({ width, height }: ImageSize, factor: number): ImageSize {
  return { width: Math.max(1, Math.floor(width * factor)), height: Math.max(1, Math.floor(height * factor)) };
}

/** The smaller of PNG and good JPEG, then JPEG of decreasing quality; each is encoded when requested. */
function* encoded(
  photon: Photon,
  image: PhotonImage,
  { width, height }: ImageSize,
): Generator<Pick<ShrunkImage, 'bytes' | 'mimeType'>> {
  const resized = photon.resize(image, width, height, photon.SamplingFilter.Lanczos3);
  try {
    const png = { bytes: resized.get_bytes(), mimeType: 'image/png' } as const;
    const [good = 80, ...others] = JPEG_QUALITIES;
    const jpeg = { bytes: resized.get_bytes_jpeg(good), mimeType: 'image/jpeg' } as const;
    yield* jpeg.bytes.length < png.bytes.length ? [jpeg, png] : [png, jpeg];
    for (const quality of others) yield { bytes: resized.get_bytes_jpeg(quality), mimeType: 'image/jpeg' };
  } finally {
    resized.free();
  }
}

/** Where a pixel of the upright image comes from, by how the camera was held; EXIF numbers it from 2. */
const SOURCES: readonly ((x: number, y: number, w: number, h: number) => number)[] = [
  (x, y, w) => w - 1 - x + y * w,
  (x, y, w, h) => w - 1 - x + (h - 1 - y) * w,
  (x, y, w, h) => x + (h - 1 - y) * w,
  (x, y, w) => y + x * w,
  (x, y, w, h) => y + (h - 1 - x) * w,
  (x, y, w, h) => w - 1 - y + (h - 1 - x) * w,
  (x, y, w) => w - 1 - y + x * w,
];

/** Rotates and mirrors by the EXIF orientation, which the encoded image does not have any more. */
function upright(photon: Photon, image: PhotonImage, orientation: number): PhotonImage {
  const sourceOf = SOURCES[orientation - 2];
  if (sourceOf === undefined) return image;
  const [w, h] = [image.get_width(), image.get_height()];
  const [width, height] = orientation >= 5 ? [h, w] : [w, h];
  const from = new Uint32Array(image.get_raw_pixels().buffer);
  const to = new Uint32Array(from.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) to[x + y * width] = from[sourceOf(x, y, w, h)] ?? 0;
  }
  image.free();
  return new photon.PhotonImage(new Uint8Array(to.buffer), width, height);
}
