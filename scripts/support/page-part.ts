import { UserError } from './fail.mjs';

/** A part of a page that a program writes; `path` is for errors. */
export interface PagePart {
  readonly path: string;
  /** The comments around it. */
  readonly begin: string;
  readonly end: string;
}

/** The text in a part of a page. @throws {UserError} when the page has no such part */
export function partOf(page: string, part: PagePart): string {
  const [from, to] = placeOf(page, part);
  return page.slice(from, to).trim();
}

/** The page with another text in its part. @throws {UserError} when the page has no such part */
export function withPart(page: string, part: PagePart, text: string): string {
  const [from, to] = placeOf(page, part);
  return `${page.slice(0, from)}\n\n${text.trim()}\n\n${page.slice(to)}`;
}

function placeOf(page: string, { path, begin, end }: PagePart): readonly [from: number, to: number] {
  const start = page.indexOf(begin);
  const to = page.indexOf(end);
  if (start === -1 || to < start) throw new UserError(`${path} has no part between "${begin}" and "${end}"`);
  return [start + begin.length, to];
}
