import type { ContentPart } from '../../agent/messages';
import { formatSize } from '../../agent/tools/truncate';
import { messageOf } from '../../base/errors';
import { isRecord } from '../../base/json/is-record';
import { saveToTempFile } from './cut-result';
import { READ_RESOURCE } from './resource-names';

type Block = Readonly<Record<string, unknown>>;

/** Where content comes from. */
export interface ContentSource {
  readonly server: string;
  /** Whether the model can read resources to which the server links. */
  readonly readsResources: boolean;
}

/**
 * Converts content of a server's answer to text and images. Any other content is saved to a file or replaced by a note.
 */
export async function modelContent(blocks: readonly unknown[], source: ContentSource): Promise<ContentPart[]> {
  const parts = blocks.map(async block =>
    isRecord(block) ? contentOf(block, source) : textPart('[a block of content that is not an object]'),
  );
  return Promise.all(parts);
}

async function contentOf(block: Block, source: ContentSource): Promise<ContentPart> {
  const { type, text, data, mimeType } = block;
  switch (type) {
    case 'text':
      return textPart(typeof text === 'string' ? text : '');
    case 'image':
      if (typeof data !== 'string' || typeof mimeType !== 'string') return textPart('[an image without data]');
      return isText(mimeType) ? textPart(decoded(data).toString('utf8')) : { type: 'image', data, mimeType };
    case 'audio':
      return textPart(`[audio ${written(mimeType)} omitted]`);
    case 'resource_link':
      return textPart(linkText(block, source));
    case 'resource':
      return isRecord(block['resource'])
        ? resourceContent(block['resource'])
        : textPart('[a resource without content]');
    default:
      return textPart(`[content of the unknown type ${written(type)}]`);
  }
}

/** One content of a resource. */
async function resourceContent({ uri, mimeType, text, blob }: Block): Promise<ContentPart> {
  if (typeof text === 'string') return textPart(text);
  if (typeof blob !== 'string') return textPart(`[Resource ${written(uri)} has no content]`);
  const type = typeof mimeType === 'string' ? mimeType : undefined;
  const data = decoded(blob);
  if (isText(type)) return textPart(data.toString('utf8'));
  if (type?.startsWith('image/') === true) return { type: 'image', data: blob, mimeType: type };
  const what = `Binary resource ${written(uri)} (${type ?? 'unknown type'}, ${formatSize(data.length)})`;
  try {
    return textPart(`[${what} saved to ${await saveToTempFile(data, extensionOf(written(uri)))}]`);
  } catch (error) {
    return textPart(`[${what} could not be saved: ${messageOf(error)}]`);
  }
}

function linkText({ uri, name, title, mimeType, size, description }: Block, source: ContentSource): string {
  const facts = [
    ...(typeof mimeType === 'string' ? [mimeType] : []),
    ...(typeof size === 'number' ? [formatSize(size)] : []),
  ];
  const about = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  const more = typeof description === 'string' ? `: ${description}` : '';
  const read = source.readsResources ? `. Read it with ${READ_RESOURCE} (server "${source.server}")` : '';
  return `[Resource ${written(uri)} "${written(title ?? name)}"${about}${more}${read}]`;
}

/** A member as text. `String(member)` could throw: a server may send an object whose `toString` is not a function. */
export function written(member: unknown): string {
  if (typeof member === 'string') return member;
  return member === undefined ? 'undefined' : JSON.stringify(member);
}

function decoded(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}

/** Whether content is text. SVG is, too: providers accept no such images. */
function isText(mimeType: string | undefined): boolean {
  const type = mimeType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return type.startsWith('text/') || type === 'application/json' || type.endsWith('+json') || type.endsWith('+xml');
}

function extensionOf(uri: string): string {
  const path = URL.canParse(uri) ? new URL(uri).pathname : uri;
  return /\.[A-Za-z0-9]{1,8}$/.exec(path)?.[0] ?? '.bin';
}

function textPart(text: string): ContentPart {
  return { type: 'text', text };
}
