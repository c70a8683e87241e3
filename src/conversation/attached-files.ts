import { stat } from 'node:fs/promises';
import type { ImageContent } from '@mariozechner/pi-ai';
import { typedSkill } from '../agent/resources/skill';
import type { ContentPart, UserMessage } from '../agent/messages';
import { resolveExisting } from '../agent/tools/paths';
import { createReadTool } from '../agent/tools/read';

/** `@path` at the start or after a blank; quoted when the path has blanks. */
const MENTION = /(?<=^|\s)@(?:"([^"\n]+)"|'([^'\n]+)'|(\S+))/g;
/** What a sentence puts behind a path. */
const PUNCTUATION = /[.,;:!?)\]}'"]+$/;
const FILE_BLOCK = /^<file name="[^"]*">[\s\S]*<\/file>$/;
/** How the block of an image file looks; its image follows. */
const IMAGE_FILE = /^<file name="[^"]*"><\/file>$/;

/**
 * The files that a text names with `@`, as the read tool shows them (its limits hold; images as image parts), each once
 * and in order. What names no readable file stays a word of the text.
 */
export async function attachedFiles(text: string, cwd: string): Promise<readonly ContentPart[]> {
  const parts: ContentPart[] = [];
  const seen = new Set<string>();
  for (const [, double, single, bare] of text.matchAll(MENTION)) {
    const named = double ?? single;
    const candidates = named === undefined ? spellings(bare ?? '') : [named];
    for (const candidate of candidates) {
      const path = resolveExisting(candidate, cwd);
      if (!(await isFile(path))) continue;
      if (!seen.has(path)) parts.push(...(await readFile(path, cwd)));
      seen.add(path);
      break;
    }
  }
  return parts;
}

function spellings(word: string): readonly string[] {
  const bare = word.replace(PUNCTUATION, '');
  return bare === '' || bare === word ? [word] : [word, bare];
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false; // Not there, or out of reach: then it is a word like any other.
  }
}

async function readFile(path: string, cwd: string): Promise<readonly ContentPart[]> {
  try {
    const { content } = await createReadTool(cwd).execute('attached', { path }, undefined);
    const images = content.filter(part => part.type === 'image');
    const text = content.map(part => (part.type === 'text' && images.length === 0 ? `\n${part.text}\n` : '')).join('');
    return [{ type: 'text', text: `<file name="${path}">${text}</file>` }, ...images];
  } catch {
    return []; // It cannot be read after all; the model still sees the name, and its own attempt says why.
  }
}

/** The images a person attached to this content; those of files that the text names come anew with the text. */
export function attachedImages(content: UserMessage['content']): readonly ImageContent[] {
  if (typeof content === 'string') return [];
  return content.filter((part, index) => {
    const before = content[index - 1];
    return part.type === 'image' && !(index > 1 && before?.type === 'text' && IMAGE_FILE.test(before.text));
  }) as ImageContent[];
}

/** What a person typed to get this content: attached files and the text of a skill are left out. */
export function typedText(content: string | readonly { readonly type: string; readonly text?: string }[]): string {
  const texts =
    typeof content === 'string' ? [content] : content.flatMap(part => (part.type === 'text' ? [part.text ?? ''] : []));
  const typed = texts.filter((text, index) => index === 0 || !FILE_BLOCK.test(text)).join('\n');
  return typedSkill(typed) ?? typed;
}
