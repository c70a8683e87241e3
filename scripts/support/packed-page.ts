import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { ROOT } from './paths.ts';

/**
 * The text of a page of the repository for a package. In the page of an extension, VS Code follows and shows only absolute
 * addresses. So relative links and pictures lead to the repository. Without an address of the repository, each becomes its
 * text and the path of its file in a clone.
 *
 * @param page - path of a Markdown page relative to the root, with `/`
 * @param repository - address of the repository
 */
export function packedPage(page: string, repository?: string): string {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const parts = text.split(/^(```[\s\S]*?^```)/m);
  return parts.map((part, index) => (index % 2 === 1 ? part : withoutRelativeLinks(part, page, repository))).join('');
}

/** The same of a text of the page without blocks of code. */
export function withoutRelativeLinks(text: string, page: string, repository: string | undefined): string {
  return text.replaceAll(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, mark: string, title: string, link: string) => {
    if (/^(?:[a-z]+:|#)/i.test(link)) return whole;
    const path = posix.join(posix.dirname(page), link);
    if (repository !== undefined) return `${mark}[${title}](${repository}/${mark ? 'raw' : 'blob'}/HEAD/${path})`;
    const file = path.replace(/#.*$/, '');
    return file === title || posix.basename(file) === title ? file : `${title} (${file})`;
  });
}
