import type { Locator } from 'playwright-core';

/** Where the parts of a path that `pathView` draws are, and which of its characters are in sight. */
export interface DrawnPath {
  readonly isNameFirst: boolean;
  readonly isNameWhole: boolean;
  readonly isFolderStartInSight: boolean;
  readonly isFolderEndInSight: boolean;
}

/** Looks at the one path inside an element. */
export function drawnPath(inside: Locator): Promise<DrawnPath> {
  return inside.locator('.path').evaluate(path => {
    const name = path.querySelector('.path-name')!;
    const folder = path.querySelector('.path-folder')!;
    const box = folder.getBoundingClientRect();
    const text = folder.querySelector('bdi')!.lastChild!;
    const isInSight = (at: number): boolean => {
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      const { left, right } = range.getBoundingClientRect();
      return left >= box.left - 1 && right <= box.right + 1;
    };
    return {
      isNameFirst: name.getBoundingClientRect().right <= box.left,
      isNameWhole: name.scrollWidth <= name.clientWidth,
      isFolderStartInSight: isInSight(0),
      isFolderEndInSight: isInSight((text.nodeValue ?? '').length - 1),
    };
  });
}
