import { fileURLToPath } from 'node:url';
import { describeImage } from '../../agent/images/describe-image';
import type { ImageContent } from '../../agent/messages';
import { formatSize } from '../../agent/tools/truncate';
import { shownPath } from '../../base/files/shown-path';
import { failed, ok, type Result } from '../../base/result';
import { cutAttachment } from '../../session/attachments/attached-files';
import type { TextFile } from '../../protocol/composer/composer';
import type { PromptBlock } from './schema';

/** A prompt for `Inbox.send`; files that its text names are attached there (`namesFiles`). */
export interface PromptContent {
  readonly text: string;
  readonly images: readonly ImageContent[];
  /** Texts that the client sent along, cut as files that a prompt names. */
  readonly files: readonly TextFile[];
}

/** What one block adds to a prompt. */
type Added =
  | { readonly type: 'text'; readonly text: string }
  /** Words of their own in the text. */
  | { readonly type: 'words'; readonly text: string }
  | { readonly type: 'image'; readonly image: ImageContent }
  | { readonly type: 'file'; readonly file: TextFile }
  /** Ends with a full stop. */
  | { readonly type: 'problem'; readonly problem: string };

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Reads the blocks of a prompt. A link to a file is a mention of it, as if the user had typed `@path`; another link stays
 * an address in the text. The problem of a prompt that cannot be sent names its block.
 */
export function promptContent(blocks: readonly PromptBlock[], cwd: string): Result<PromptContent> {
  const texts: string[] = [];
  const images: ImageContent[] = [];
  const files: TextFile[] = [];
  for (const [index, block] of blocks.entries()) {
    const added = addedBy(block, cwd);
    switch (added.type) {
      case 'text':
        texts.push(added.text);
        break;
      case 'words':
        texts.push(`${/(?:^|\s)$/.test(texts.at(-1) ?? '') ? '' : ' '}${added.text}`);
        break;
      case 'image':
        images.push(added.image);
        break;
      case 'file':
        files.push(added.file);
        break;
      case 'problem':
        return failed({ message: `prompt[${index}]: ${added.problem}` });
    }
  }
  const text = texts.join('');
  if (text.trim() === '' && images.length === 0 && files.length === 0) {
    return failed({ message: 'prompt: There is nothing in it.' });
  }
  return ok({ text, images, files });
}

function addedBy(block: PromptBlock, cwd: string): Added {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
      return imageOf(block.data, block.mimeType);
    case 'resource_link':
      return { type: 'words', text: mention(block.uri) };
    case 'resource': {
      const { resource } = block;
      const name = nameOf(resource.uri, cwd);
      if ('text' in resource) return fileOf(name, resource.text);
      return blobOf(resource.blob, name, resource.mimeType ?? undefined);
    }
  }
}

function imageOf(data: string, mimeType: string): Added {
  const bytes = decoded(data);
  if (bytes === undefined) return { type: 'problem', problem: 'The image is not valid base64.' };
  return { type: 'image', image: { type: 'image', data, mimeType: describeImage(bytes)?.mimeType ?? mimeType } };
}

/** An image, a text, or the words that there is a file which cannot be read here. */
function blobOf(blob: string, name: string, mimeType: string | undefined): Added {
  const bytes = blob === '' ? Buffer.alloc(0) : decoded(blob);
  if (bytes === undefined) return { type: 'problem', problem: `The content of ${name} is not valid base64.` };
  const image = describeImage(bytes);
  if (image !== undefined) return { type: 'image', image: { type: 'image', data: blob, mimeType: image.mimeType } };
  const text = textIn(bytes);
  if (text !== undefined) return fileOf(name, text);
  const what = [mimeType, formatSize(bytes.length)].filter(part => part !== undefined).join(', ');
  return { type: 'words', text: `[${name} (${what}) was attached, but it is neither a text nor an image.]` };
}

function fileOf(name: string, text: string): Added {
  return { type: 'file', file: { name, text: cutAttachment(text) } };
}

function decoded(base64: string): Buffer | undefined {
  const isWhole = base64.length % 4 === 0 && BASE64.test(base64);
  return isWhole ? Buffer.from(base64, 'base64') : undefined;
}

function textIn(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined; // No UTF-8.
  }
}

/** A file as the user would name it; any other address as it is. */
function mention(uri: string): string {
  const path = pathOf(uri);
  if (path === undefined || path.includes('\n')) return uri;
  if (!path.includes('"')) return `@"${path}"`;
  return path.includes("'") ? uri : `@'${path}'`;
}

function nameOf(uri: string, cwd: string): string {
  const path = pathOf(uri);
  return path === undefined ? uri : shownPath(path, cwd);
}

/** The file that an address names; undefined for another kind of address. */
function pathOf(uri: string): string | undefined {
  if (!/^file:/i.test(uri)) return undefined;
  try {
    return fileURLToPath(uri.replace(/#.*$/s, ''));
  } catch {
    return undefined; // A file of another machine, or no valid address.
  }
}
