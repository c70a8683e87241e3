import type { Env, MarkdownIt, Token } from 'markdown-it';
import { imageDataLength } from './image-data';
import { pathOfInfo } from './file-name';
import { languageOf } from './markdown';

/** One top-level block that can be drawn. `plain` is a block whose inline markup is not parsed because it is too large. */
export type MarkdownBlock =
  | { readonly type: 'html'; readonly html: string }
  | { readonly type: 'code'; readonly language: string; readonly text: string; readonly path?: string }
  | { readonly type: 'plain'; readonly text: string };

/** The inline markup of a block with more characters than this is not parsed. */
export const LARGEST_BLOCK = 30_000;
/** An unfinished block with more characters than this is parsed again only after it has grown by a quarter. */
const PATIENT_ABOVE = 200_000;

interface Group {
  readonly tokens: Token[];
  /** Offsets into the parsed text. */
  readonly start: number;
  readonly end: number;
}

interface Parsed {
  readonly groups: readonly Group[];
  readonly env: Env;
}

/**
 * Parses markdown that arrives in pieces. A block is final when a later block has begun; only complete lines count. So each
 * final block is drawn once, and only the tail is drawn again. The result is the same as for the whole text at once: a
 * definition of a link reference can change earlier blocks, so the text is parsed again at the end if it has one.
 */
export class BlockStream {
  private text = '';
  private heldReturn = false;
  /** The text before this offset is in `finalBlocks`. */
  private stable = 0;
  private splitTo = 0;
  private patience = 0;
  private references: Env['references'];
  private finalBlocks: MarkdownBlock[] = [];
  private finished = false;
  private renderedTail: { readonly length: number; readonly blocks: readonly MarkdownBlock[] } | undefined;
  private generationCount = 0;

  constructor(private readonly markdown: MarkdownIt) {}

  /** The final blocks. The list only grows until `generation` changes. */
  get blocks(): readonly MarkdownBlock[] {
    return this.finalBlocks;
  }

  /** How often all final blocks were replaced. */
  get generation(): number {
    return this.generationCount;
  }

  /** The blocks of the unfinished rest. They are parsed when this is read, so read it only once per frame. */
  get tail(): readonly MarkdownBlock[] {
    if (this.finished) return [];
    if (this.renderedTail?.length !== this.text.length) {
      this.renderedTail = { length: this.text.length, blocks: this.renderTail() };
    }
    return this.renderedTail.blocks;
  }

  append(delta: string): void {
    this.text += this.normalized(delta, false);
    const complete = this.text.lastIndexOf('\n') + 1;
    if (complete <= this.splitTo || this.text.length < this.patience) return;
    this.commitUpTo(complete);
  }

  /** Ends the stream. Then all blocks are final. */
  finish(): void {
    if (this.finished) return;
    this.text += this.normalized('', true);
    this.finished = true;
    const rest = this.parse(this.text.slice(this.stable));
    if (this.references === undefined && isEmpty(rest.env.references)) {
      this.finalBlocks.push(...rest.groups.map(group => this.render(group, rest.env)));
      return;
    }
    const parsed = this.parse(this.text, true);
    this.finalBlocks = parsed.groups.map(group => this.render(group, parsed.env));
    this.generationCount += 1;
  }

  private commitUpTo(complete: number): void {
    this.splitTo = complete;
    const { groups, env } = this.parse(this.text.slice(this.stable, complete));
    if (!isEmpty(env.references)) this.references = { ...env.references };
    const last = groups.at(-1);
    if (last && groups.length > 1) {
      this.finalBlocks.push(...groups.slice(0, -1).map(group => this.render(group, env)));
      this.stable += last.start;
    }
    const rest = this.text.length - this.stable;
    this.patience = rest > PATIENT_ABOVE ? this.text.length + rest / 4 : 0;
  }

  private renderTail(): readonly MarkdownBlock[] {
    const source = this.text.slice(this.stable);
    if (source.length > PATIENT_ABOVE) return [{ type: 'plain', text: source }];
    const { groups, env } = this.parse(source);
    return groups.map(group => this.render(group, env));
  }

  /** Parses only the structure of blocks; `render` parses the inline markup of each block. */
  private parse(source: string, alone = false): Parsed {
    const env: Env = {};
    if (!alone && this.references !== undefined) env.references = { ...this.references };
    const tokens: Token[] = [];
    this.markdown.block.parse(source, this.markdown, env, tokens);
    return { groups: groupBlocks(tokens, source), env };
  }

  private render({ tokens, start, end }: Group, env: Env): MarkdownBlock {
    const [first] = tokens;
    if (first && (first.type === 'fence' || first.type === 'code_block')) {
      const path = pathOfInfo(first.info);
      const named = path === undefined ? {} : { path };
      return { type: 'code', language: languageOf(first.info), text: first.content, ...named };
    }
    if (end - start > LARGEST_BLOCK && withoutImageData(tokens) > LARGEST_BLOCK) {
      return {
        type: 'plain',
        text: tokens
          .map(token => token.content)
          .filter(Boolean)
          .join('\n'),
      };
    }
    // With an empty source, the block rule adds no tokens, so the inline rules process only these tokens.
    const state = new this.markdown.core.State('', this.markdown, env);
    state.tokens = tokens;
    this.markdown.core.process(state);
    return { type: 'html', html: this.markdown.renderer.render(state.tokens, this.markdown.options, env) };
  }

  /** Converts line ends to `\n`. A `\r` at the end is held until the next piece, which may begin with its `\n`. */
  private normalized(delta: string, last: boolean): string {
    let text = this.heldReturn ? `\r${delta}` : delta;
    this.heldReturn = !last && text.endsWith('\r');
    if (this.heldReturn) text = text.slice(0, -1);
    return text.includes('\r') || text.includes('\0') ? text.replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd') : text;
  }
}

/** The number of characters of a block without image data, which is fast to parse. */
function withoutImageData(tokens: readonly Token[]): number {
  return tokens.reduce((sum, { content }) => sum + content.length - imageDataLength(content), 0);
}

function groupBlocks(tokens: readonly Token[], source: string): Group[] {
  const lines = lineStarts(source);
  const groups: Group[] = [];
  let current: Token[] = [];
  let depth = 0;
  for (const token of tokens) {
    current.push(token);
    depth += token.nesting;
    if (depth > 0) continue;
    const [from, to] = current[0]?.map ?? [0, 0];
    groups.push({ tokens: current, start: lines[from] ?? source.length, end: lines[to] ?? source.length });
    current = [];
  }
  return groups;
}

function lineStarts(source: string): number[] {
  const starts = [0];
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function isEmpty(references: object | undefined): boolean {
  return references === undefined || Object.keys(references).length === 0;
}
