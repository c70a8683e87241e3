import type { MarkdownIt } from 'markdown-it';
import { TextElement } from '../controls/text-element';
import { BlockStream, type MarkdownBlock } from './block-stream';
import { CodeElement } from './code-element';
import { showImages } from './image-data';
import { createMarkdown } from './markdown';
import { toFragment, toMathFragment } from './sanitize';

type TexToMathMl = (tex: string, isDisplay: boolean) => string;

/** How many converted formulas are cached. The last block of an answer is drawn repeatedly while it grows. */
const KEPT = 300;

let texToMathMl: TexToMathMl | undefined;
let loading: Promise<Error | undefined> | undefined;
const set = new Map<string, string | Error>();

/** Draws the formula of each `.math` element in `root`. One that cannot be drawn keeps its source and shows the error. */
function drawMath(root: ParentNode): void {
  const formulas = [...root.querySelectorAll<HTMLElement>('.math[data-tex]')];
  if (formulas.length === 0) return;
  if (texToMathMl !== undefined) for (const formula of formulas) draw(formula, texToMathMl);
  else {
    // The elements show their source until KaTeX is loaded. Some may have been removed from the page by then.
    void load().then(missing => {
      for (const formula of formulas) {
        if (texToMathMl !== undefined) draw(formula, texToMathMl);
        else if (missing !== undefined) fail(formula, missing);
      }
    });
  }
}

/** Loads KaTeX once. Resolves with the error when that fails; the next formula then tries again. */
function load(): Promise<Error | undefined> {
  loading ??= import('./katex').then(
    module => {
      texToMathMl = module.texToMathMl;
      return undefined;
    },
    (error: unknown) => {
      loading = undefined;
      return error instanceof Error ? error : new Error(String(error));
    },
  );
  return loading;
}

function draw(formula: HTMLElement, render: TexToMathMl): void {
  const { tex = '' } = formula.dataset;
  const isDisplay = formula.classList.contains('math-display');
  const result = cached(tex, isDisplay, render);
  if (typeof result === 'string') formula.replaceChildren(withLetters(toMathFragment(result)));
  else fail(formula, result);
}

/**
 * Marks variables, which are single letters, so that the style sheet can show them in normal italics. By default, browsers
 * use mathematical letters for them, and many systems have no font with those.
 */
function withLetters(fragment: DocumentFragment): DocumentFragment {
  for (const identifier of fragment.querySelectorAll('mi:not([mathvariant])')) {
    if (/^.$/u.test(identifier.textContent)) identifier.classList.add('math-letter');
  }
  return fragment;
}

function fail(formula: HTMLElement, { message }: Error): void {
  formula.classList.add('math-error');
  formula.title = message;
}

function cached(tex: string, isDisplay: boolean, render: TexToMathMl): string | Error {
  const key = `${isDisplay ? 'd' : 'i'}${tex}`;
  const known = set.get(key);
  if (known !== undefined) return known;
  const result = attempt(tex, isDisplay, render);
  if (set.size >= KEPT) set.clear();
  set.set(key, result);
  return result;
}

function attempt(tex: string, isDisplay: boolean, render: TexToMathMl): string | Error {
  try {
    return render(tex, isDisplay);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

export interface MarkdownSource {
  readonly text: string;
  readonly final: boolean;
  /** Line breaks are shown as they were typed. The same for each source of an element. */
  readonly breaks?: boolean;
}

const parsers = new Map<boolean, MarkdownIt>();

function parserFor(breaks: boolean): MarkdownIt {
  const known = parsers.get(breaks) ?? createMarkdown({ breaks });
  parsers.set(breaks, known);
  return known;
}

/** `<hookline-markdown>`: markdown that may still grow. Final blocks are drawn once; only the unfinished rest is redrawn. */
export class MarkdownElement extends HTMLElement {
  private stream: BlockStream | undefined;
  private raw = '';
  private drawn = 0;
  private generation = 0;
  private readonly tail = document.createElement('div');

  set source({ text, final, breaks = false }: MarkdownSource) {
    if (!this.stream || !text.startsWith(this.raw)) this.restart(breaks);
    this.stream?.append(text.slice(this.raw.length));
    this.raw = text;
    if (final) this.stream?.finish();
    this.draw();
  }

  private restart(breaks: boolean): void {
    this.stream = new BlockStream(parserFor(breaks));
    this.raw = '';
    this.generation = 0;
    this.clear();
  }

  private clear(): void {
    this.drawn = 0;
    this.tail.className = 'tail';
    this.tail.replaceChildren();
    this.replaceChildren(this.tail);
  }

  private draw(): void {
    if (!this.stream) return;
    if (this.stream.generation !== this.generation) {
      this.generation = this.stream.generation;
      this.clear();
    }
    for (const block of this.stream.blocks.slice(this.drawn)) {
      this.tail.before(this.takeFromTail(block) ?? node(block, true));
    }
    this.drawn = this.stream.blocks.length;
    this.drawTail(this.stream.tail);
  }

  private drawTail(blocks: readonly MarkdownBlock[]): void {
    const [block] = blocks;
    const first = this.tail.firstElementChild;
    if (blocks.length === 1 && block?.type === 'code' && first instanceof CodeElement && first.isStartOf(block)) {
      first.source = { ...block, final: false };
    } else if (blocks.length === 1 && block?.type === 'plain' && first instanceof TextElement) first.text = block.text;
    else this.tail.replaceChildren(...blocks.map(one => node(one, false)));
  }

  /** Takes a code block out of the tail, so that it becomes final without a redraw; undefined when it is not in the tail. */
  private takeFromTail(block: MarkdownBlock): Element | undefined {
    const first = this.tail.firstElementChild;
    if (block.type !== 'code' || !(first instanceof CodeElement) || !first.isStartOf(block)) return undefined;
    first.source = { ...block, final: true };
    return first;
  }
}

function node(block: MarkdownBlock, final: boolean): Node {
  switch (block.type) {
    case 'html':
      return htmlNode(block.html);
    case 'code': {
      const code = new CodeElement();
      code.source = { language: block.language, text: block.text, path: block.path, final };
      return code;
    }
    case 'plain': {
      const text = new TextElement();
      text.text = block.text;
      return text;
    }
  }
}

/** Draws a block of HTML. Code inside of lists and quotes gets the same buttons as code at the top level. */
function htmlNode(html: string): Node {
  const fragment = toFragment(html);
  for (const pre of fragment.querySelectorAll('pre')) {
    const language = /language-(\S+)/.exec(pre.firstElementChild?.className ?? '')?.[1] ?? '';
    const code = new CodeElement();
    code.source = { language, text: pre.textContent, final: true };
    pre.replaceWith(code);
  }
  showImages(fragment);
  drawMath(fragment);
  return fragment;
}
