import type { DialectId } from '../hook-contract/dialect-id';

/** A hook that the agent converts to the dialect `pi`. */
export interface ConversionRequest {
  /** As the agent can use it. */
  readonly path: string;
  /** Undefined when it is not known, because the hook does not load. */
  readonly dialect: DialectId | undefined;
  /** Absolute path of the folder with the types for hook authors. */
  readonly typings: string;
}

/**
 * The prompt for the agent. The text of the hook and `docs/dialects.md` belong to it as attached files; the answer is
 * for {@link convertedText}.
 */
export function conversionPrompt({ path, dialect, typings }: ConversionRequest): string {
  const from = dialect === undefined ? '' : ` from the dialect ${dialect}`;
  return `Convert the hook ${path}${from} to today's pi (dialect pi), so that it does the same as before.

The text of the hook and dialects.md are attached. dialects.md describes all dialects and their differences. The types of today's pi are in ${typings}/hookline; begin with modules/pi-coding-agent.d.ts.

- Change no file. Answer with the complete new text of the hook, in one block of code with four backticks before and after it. The user sees it as a diff, and decides whether it is written.
- Keep everything that does not need to change: order, names, comments and formatting.
- The new text must be of the dialect pi by itself: it imports its types from "@earendil-works/pi-coding-agent", or has the comment "// @pi-dialect pi" where it has no types.
- Where today's pi has nothing that does the same, keep the code, write a comment "// Needs a look: …" above it, and name it after the block.`;
}

/** A page of Markdown without the blanks that only align its tables: a model pays for each of them. */
export function withoutPadding(markdown: string): string {
  return markdown.replaceAll(/(?<=\S) {2,}/g, ' ').replaceAll(/-{4,}/g, '---');
}

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`]*)$/;
const CODE = /^(?:[cm]?[jt]sx?|typescript|javascript)?$/i;

/**
 * The content of the only block of code in an answer; undefined when there is none, more than one, one of another
 * language (a diff), or one that does not end.
 */
export function convertedText(answer: string): string | undefined {
  const blocks: { readonly language: string; readonly lines: string[] }[] = [];
  let open: string | undefined;
  for (const line of answer.split(/\r?\n/)) {
    const [, fence, info = ''] = FENCE.exec(line) ?? [];
    if (open === undefined) {
      if (fence === undefined) continue;
      open = fence;
      blocks.push({ language: info.trim(), lines: [] });
    } else if (fence !== undefined && info === '' && fence.startsWith(open)) open = undefined;
    else blocks.at(-1)?.lines.push(line);
  }
  const [block, ...more] = blocks;
  if (block === undefined || more.length > 0 || open !== undefined || !CODE.test(block.language)) return undefined;
  return block.lines.map(line => `${line}\n`).join('');
}
