import * as l10n from '@vscode/l10n';
import type { Image } from '../../src/protocol/items/chat-item';
import {
  LARGEST_TEXT_FILE,
  MOST_ATTACHMENTS,
  type Attachments,
  type TextFile,
} from '../../src/protocol/composer/composer';
import { IMAGE_TYPES } from '../../src/protocol/base/image-types';

/** Maximum size of an attached image, in bytes. */
export const LARGEST_IMAGE = 5 * 1024 * 1024;

/** Whether a file is an image of a type that models accept. */
function isImage(file: { readonly type: string }): boolean {
  return IMAGE_TYPES.has(file.type);
}

/** Tells the user why a file cannot be attached as an image; undefined when it can. */
export function imageProblem(file: {
  readonly name: string;
  readonly type: string;
  readonly size: number;
}): string | undefined {
  const name = file.name || l10n.t('The pasted file');
  if (!IMAGE_TYPES.has(file.type)) {
    return l10n.t('{0} cannot be attached: only PNG, JPEG, GIF and WebP images can.', name);
  }
  if (file.size <= LARGEST_IMAGE) return undefined;
  return l10n.t('{0} is {1} MB; images of up to 5 MB can be attached.', name, (file.size / 1024 / 1024).toFixed(1));
}

/** Reads an image into memory. Rejects with an error that names the file when it cannot be read. */
function readImage(file: File): Promise<Image> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () =>
      reject(
        new Error(l10n.t('{0} could not be read: {1}', file.name, reader.error?.message ?? l10n.t('unknown reason'))),
      );
    reader.onload = () => {
      const url = typeof reader.result === 'string' ? reader.result : '';
      resolve({ type: 'image', mimeType: file.type, data: url.slice(url.indexOf(',') + 1) });
    };
    reader.readAsDataURL(file);
  });
}

/** The result of dropped or pasted files. */
export interface Taken extends Attachments {
  /** Why the other files were not taken; each text names its file. */
  readonly problems: readonly string[];
}

interface FileFacts {
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

/** Types of files that are never text, even if their bytes look like text. */
const NO_TEXT = /^(audio|video|font)\/|^application\/(pdf|zip|gzip|x-(tar|7z-compressed)|vnd\.|msword)/;

/** Reads files into memory, at most `room` of them. Files that cannot be attached become problems; never rejects. */
export async function takeFiles(given: readonly File[], room: number): Promise<Taken> {
  const images: Image[] = [];
  const files: TextFile[] = [];
  const problems: string[] = [];
  for (const file of given.slice(0, Math.max(0, room))) {
    const problem = isImage(file) ? imageProblem(file) : textProblem(file);
    try {
      if (problem !== undefined) problems.push(problem);
      else if (isImage(file)) images.push(await readImage(file));
      else files.push(await readText(file));
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  if (given.length > room) {
    problems.push(l10n.t('At most {0} images and files can be attached to one message.', MOST_ATTACHMENTS));
  }
  return { images, files, problems };
}

/** Tells the user why a file cannot be attached as text; undefined when it may be a text. */
function textProblem(file: FileFacts): string | undefined {
  if (NO_TEXT.test(file.type)) return imageProblem(file);
  if (file.size <= LARGEST_TEXT_FILE) return undefined;
  return l10n.t(
    '{0} is {1} KB; text files of up to {2} KB can be attached from outside. Put it into the folder and name it with @.',
    file.name,
    Math.ceil(file.size / 1024).toLocaleString('en'),
    LARGEST_TEXT_FILE / 1024,
  );
}

/** Reads a text file. Rejects with an error that names the file when it is not text. */
async function readText(file: File): Promise<TextFile> {
  const name = file.name || l10n.t('pasted text');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Error(noText(name));
  }
  if (text.includes('\0')) throw new Error(noText(name));
  return { name, text };
}

function noText(name: string): string {
  return l10n.t('{0} cannot be attached: it is neither text nor a PNG, JPEG, GIF or WebP image.', name);
}

/** URIs of resources that are dragged from inside of VS Code; empty for other drags. */
export function draggedUris(data: DataTransfer): readonly string[] {
  const list = data.getData('application/vnd.code.uri-list') || vscodeList(data.getData('text/uri-list'));
  return list.split(/\r?\n/).filter(line => line !== '' && !line.startsWith('#'));
}

/** The list if it contains files, else an empty text: a link that is dragged from a browser counts as text. */
function vscodeList(list: string): string {
  return /^(file|vscode-remote):/m.test(list) ? list : '';
}
