import type { ImageContent } from '@mariozechner/pi-ai';
import type { ContentPart } from '../../agent/messages';
import { truncateHead } from '../../agent/tools/truncate';
import type { TextFile } from '../../protocol/composer/composer';
import { textFileIn } from './attached-files';

/** What is sent beside a text. */
export interface Along {
  /** Texts that the user attached. */
  readonly files: readonly TextFile[];
  /** Images that the user attached. */
  readonly images: readonly ImageContent[];
  /** What the text names, see `attachedFiles`. */
  readonly named: readonly ContentPart[];
}

/**
 * Leaves out what would be sent twice: a file that is attached twice, and one that the text names as well. Of such a file the
 * named copy is sent, which has its path, unless only the attached one is whole. An attached file has no path: it is the named
 * one if it has its name and its text.
 */
export function withoutCopies({ files, images, named }: Along): Along {
  const names = named.map(part => (part.type === 'text' ? textFileIn(part.text) : undefined));
  const copies = (file: TextFile): readonly number[] =>
    names.flatMap((each, at) => (each !== undefined && isCopy(each, file) ? [at] : []));
  const cut = new Set(files.filter(({ text }) => truncateHead(text).truncated).flatMap(copies));
  const isFirst = ({ name, text }: TextFile, at: number): boolean =>
    files.findIndex(other => other.name === name && other.text === text) === at;
  const sent = new Set(named.flatMap(part => (part.type === 'image' ? [part.data] : [])));
  return {
    files: files.filter((file, at) => isFirst(file, at) && copies(file).every(copy => cut.has(copy))),
    images: images.filter(({ data }, at) => !sent.has(data) && images.findIndex(other => other.data === data) === at),
    named: named.filter((_, at) => !cut.has(at)),
  };
}

/** Whether a named file shows what is attached, or as much of it as is shown of a file. */
function isCopy(shown: TextFile, attached: TextFile): boolean {
  if (shown.name !== attached.name && shown.name.split(/[\\/]/).at(-1) !== attached.name) return false;
  const { content, truncated } = truncateHead(attached.text);
  const [of, start] = [plain(shown.text), plain(content)];
  return truncated ? start !== '' && of.startsWith(start) : of === start;
}

/** Without what editors and the read tool change: the ends of lines, and of the text. */
function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/\n+$/, '');
}
