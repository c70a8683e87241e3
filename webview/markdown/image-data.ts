/** Kinds of pictures that are shown; SVG is not one of them, since it is markup. */
const IMAGE_DATA = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/;
const IMAGE_DATA_INSIDE = /data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}/g;
/** Characters of the largest picture out of a text. */
const LARGEST = 8_000_000;

/** Whether an address is a picture as data of a kind that is shown. */
export function isImageData(address: string): boolean {
  return address.length <= LARGEST && address.startsWith('data:image/') && IMAGE_DATA.test(address);
}

/** Characters of `text` that are pictures as data. */
export function imageDataLength(text: string): number {
  if (!text.includes('data:image/')) return 0;
  return text.match(IMAGE_DATA_INSIDE)?.reduce((sum, { length }) => sum + length, 0) ?? 0;
}

/** Puts the pictures into the places that the renderer left for them; their text becomes what is read out. */
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
