/** Matches data of the image types that are shown. SVG is not shown, because it is markup. */
const IMAGE_DATA = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/;
const IMAGE_DATA_INSIDE = /data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}/g;
/** Maximum length of an image's data URL, in characters. */
const LARGEST = 8_000_000;

/** Whether an address is a data URL of an image that is shown. */
export function isImageData(address: string): boolean {
  return address.length <= LARGEST && address.startsWith('data:image/') && IMAGE_DATA.test(address);
}

/** How many characters of `text` belong to data URLs of images. */
export function imageDataLength(text: string): number {
  if (!text.includes('data:image/')) return 0;
  return text.match(IMAGE_DATA_INSIDE)?.reduce((sum, { length }) => sum + length, 0) ?? 0;
}

/** Replaces the placeholders that the renderer made by images; their text becomes the `alt` text. */
export function showImages(root: ParentNode): void {
  for (const place of root.querySelectorAll<HTMLElement>('.image-data[data-image]')) {
    const { image = '' } = place.dataset;
    if (!isImageData(image)) continue;
    const picture = document.createElement('img');
    picture.src = image;
    picture.alt = place.textContent;
    place.replaceWith(picture);
  }
}
