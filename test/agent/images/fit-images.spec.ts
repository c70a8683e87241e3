import assert from 'node:assert/strict';
import { PhotonImage } from '@silvia-odwyer/photon-node';
import { describeImage } from '../../../src/agent/images/describe-image';
import { fitImage, fitPromptImages, fitResultImages } from '../../../src/agent/images/fit-images';
import { base64Length, IMAGE_LIMITS } from '../../../src/agent/images/image-limits';
import { shrinkImage } from '../../../src/agent/images/shrink-image';
import type { ContentPart, ImageContent } from '../../../src/agent/messages';

/** An image of these pixels, RGBA. */
function image(width: number, height: number, pixel: (at: number) => number): PhotonImage {
  const pixels = Uint32Array.from({ length: width * height }, (_, at) => pixel(at));
  return new PhotonImage(new Uint8Array(pixels.buffer), width, height);
}

const white: (at: number) => number = () => 0xffffffff;
/** The same in each run, and hard to compress. */
const noise = (at: number): number => ((Math.imul(at ^ (at >>> 7), 0x9e3779b1) >>> 0) | 0xff000000) >>> 0;
const png = (width: number, height: number, pixel = white): Buffer =>
  Buffer.from(image(width, height, pixel).get_bytes());
const part = (bytes: Buffer, mimeType = 'image/png'): ImageContent => ({
  type: 'image',
  data: bytes.toString('base64'),
  mimeType,
});

/** A black image of Windows. */
function bitmap(width: number, height: number): Buffer {
  const rows = Buffer.alloc(Math.ceil((width * 3) / 4) * 4 * height);
  const head = Buffer.alloc(54);
  head.write('BM');
  head.writeUInt32LE(head.length + rows.length, 2);
  head.writeUInt32LE(head.length, 10);
  head.writeUInt32LE(40, 14);
  head.writeInt32LE(width, 18);
  head.writeInt32LE(height, 22);
  head.writeUInt16LE(1, 26);
  head.writeUInt16LE(24, 28);
  return Buffer.concat([head, rows]);
}

/** A JPEG with the note of a camera that was held so. */
function held(jpeg: Buffer, orientation: number): Buffer {
  const tiff = Buffer.from(
    `4d4d002a000000080001011200030000000100${orientation.toString(16).padStart(2, '0')}000000000000`,
    'hex',
  );
  const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
  const head = Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0, exif.length + 2]);
  return Buffer.concat([head, exif, jpeg.subarray(2)]);
}

describe('fitting images', function () {
  this.timeout(120_000);

  it('leaves what is small enough as it is', async () => {
    const bytes = png(2000, 20);
    const data = bytes.toString('base64');
    assert.deepEqual(await fitImage(bytes), { ok: true, data, mimeType: 'image/png', hints: [] });
  });

  it('brings long sides to 2000 pixels, and says by how much', async () => {
    const fitted = await fitImage(png(3000, 600));
    assert.ok(fitted.ok);
    const { width, height } = describeImage(Buffer.from(fitted.data, 'base64')) ?? {};
    assert.deepEqual([width, height], [2000, 400]);
    assert.deepEqual(fitted.hints, [
      '[Image: original 3000x600, displayed at 2000x400. Multiply coordinates by 1.50 to map to original image.]',
    ]);
  });

  it('takes the smaller of PNG and JPEG, and makes the image smaller until it has few enough bytes', async () => {
    const bytes = png(1300, 1300, noise);
    assert.ok(base64Length(bytes.length) > IMAGE_LIMITS.base64Bytes, String(bytes.length));
    const shrunk = await shrinkImage(bytes);
    assert.ok(shrunk);
    assert.equal(shrunk.mimeType, 'image/jpeg');
    assert.ok(base64Length(shrunk.bytes.length) < IMAGE_LIMITS.base64Bytes);
    assert.equal((await shrinkImage(png(2500, 10)))?.mimeType, 'image/png');
  });

  it('says of what is no image that it is left out', async () => {
    assert.deepEqual(await fitImage(Buffer.from('no image')), {
      ok: false,
      message: '[Image omitted: could not be resized below the inline image size limit.]',
    });
  });

  it('turns an image upright, as its note says', async () => {
    const [dark, light] = [0xff000000, 0xffffffff];
    // Its left half is dark.
    const stored = Buffer.from(image(240, 120, at => (at % 240 < 120 ? dark : light)).get_bytes_jpeg(90));
    const darkSides: Record<number, string> = {
      1: 'left',
      2: 'right',
      3: 'right',
      4: 'left',
      5: 'top',
      6: 'top',
      7: 'bottom',
      8: 'bottom',
    };
    for (const [orientation, side] of Object.entries(darkSides)) {
      const shrunk = await shrinkImage(held(stored, Number(orientation)));
      assert.ok(shrunk);
      const shown = PhotonImage.new_from_byteslice(shrunk.bytes);
      const [width, height] = [shown.get_width(), shown.get_height()];
      const pixels = shown.get_raw_pixels();
      const isDark = (x: number, y: number): boolean => (pixels[(x + y * width) * 4] ?? 255) < 128;
      const found = {
        left: isDark(10, height >> 1),
        right: isDark(width - 10, height >> 1),
        top: isDark(width >> 1, 10),
        bottom: isDark(width >> 1, height - 10),
      };
      const across = Number(orientation) >= 5;
      assert.deepEqual([width, height], across ? [120, 240] : [240, 120], orientation);
      const opposite = { left: 'right', right: 'left', top: 'bottom', bottom: 'top' }[side] ?? '';
      assert.deepEqual([found[side as 'left'], found[opposite as 'left']], [true, false], orientation);
    }
  });

  it('changes only what must be changed in a result, and keeps what it cannot read', async () => {
    const small: ContentPart[] = [{ type: 'text', text: 'a' }, part(png(10, 10))];
    assert.equal(await fitResultImages(small), small);
    const odd: ContentPart[] = [part(Buffer.from('no image'))];
    assert.equal(await fitResultImages(odd), odd);
    const [text, fitted, hint, rest] = await fitResultImages([...small.slice(0, 1), part(png(2500, 10))]);
    assert.equal(text, small[0]);
    assert.equal(fitted?.type, 'image');
    assert.match(hint?.type === 'text' ? hint.text : '', /^\[Image: original 2500x10, displayed at 2000x8\./);
    assert.equal(rest, undefined);
  });

  it('names the type that an image has, whatever it was called: providers refuse the wrong one', async () => {
    const jpeg = Buffer.from(image(10, 10, white).get_bytes_jpeg(80));
    const given = [part(jpeg, 'image/jpg'), part(png(10, 10), 'image/jpeg'), part(jpeg, 'IMAGE/JPEG')];
    const types = (parts: readonly ContentPart[]): unknown[] =>
      parts.map(each => (each.type === 'image' ? each.mimeType : each.text));
    assert.deepEqual(types(await fitResultImages(given)), ['image/jpeg', 'image/png', 'image/jpeg']);
    assert.deepEqual(types((await fitPromptImages(given)).images), ['image/jpeg', 'image/png', 'image/jpeg']);
  });

  it('converts an image of a format that few models know', async () => {
    const bmp = part(bitmap(3, 2), 'image/bmp');
    for (const [converted] of [await fitResultImages([bmp]), (await fitPromptImages([bmp])).images]) {
      assert.ok(converted?.type === 'image' && converted.mimeType === 'image/png');
      const { width, height, mimeType } = describeImage(Buffer.from(converted.data, 'base64')) ?? {};
      assert.deepEqual([width, height, mimeType], [3, 2, 'image/png']);
    }
  });

  it('tells of the images of a prompt what was done to them', async () => {
    const damaged = Buffer.from(png(5, 5).subarray(0, 20));
    const unknown = part(Buffer.from('x'), 'image/new');
    const given = [part(png(2500, 10)), part(damaged), part(png(5, 5)), unknown];
    const { images, hints } = await fitPromptImages(given);
    assert.deepEqual(images.slice(1), [given[2], unknown]);
    assert.equal(hints.length, 2);
    assert.match(hints[0] ?? '', /^\[Image: original 2500x10/);
    assert.equal(hints[1], '[Image omitted: could not be resized below the inline image size limit.]');
  });
});
