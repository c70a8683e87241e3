import type { Locator } from 'playwright-core';

/** Where the parts of a path that `pathView` draws are, and which of its characters are in sight. */
export interface DrawnPath {
  readonly isNameFirst: boolean;
  readonly isNameWhole: boolean;
  /** Whether anything of the folder is in sight. */
  readonly isFolderDrawn: boolean;
  readonly isFolderStartInSight: boolean;
  readonly isFolderEndInSight: boolean;
}

/** Looks at the one path inside an element. */
export function drawnPath(inside: Locator): Promise<DrawnPath> {
  return inside.locator('.path').evaluate(path => {
    const name = path.querySelector('.path-name')!;
    const folder = path.querySelector('.path-folder')!;
    const box = folder.getBoundingClientRect();
    const line = path.getBoundingClientRect();
    const isFolderDrawn = box.top < line.bottom - 1;
    const texts = document.createTreeWalker(folder, NodeFilter.SHOW_TEXT);
    const parts: Text[] = [];
    while (texts.nextNode()) parts.push(texts.currentNode as Text);
    const isInSight = (text: Text, at: number): boolean => {
      const clip = (text.parentElement!.closest('.path-far') ?? path).getBoundingClientRect();
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      const { left, right } = range.getBoundingClientRect();
      return isFolderDrawn && left >= clip.left - 1 && right <= clip.right + 1;
    };
    const filled = parts.filter(({ data }) => data.trim() !== '');
    const [first, last] = [filled[0]!, filled.at(-1)!];
    return {
      isNameFirst: !isFolderDrawn || name.getBoundingClientRect().right <= box.left,
      isNameWhole: name.scrollWidth <= name.clientWidth,
      isFolderDrawn,
      isFolderStartInSight: isInSight(first, 0),
      isFolderEndInSight: isInSight(last, last.data.length - 1),
    };
  });
}
