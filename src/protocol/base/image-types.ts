/** The types of images that models accept. Browsers draw them, and none can contain markup. */
export const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
