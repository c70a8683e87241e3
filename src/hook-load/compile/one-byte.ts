import type { AnyNode, Comment, TemplateElement } from 'acorn';
import type MagicString from 'magic-string';

/** Matches a character that V8 needs two bytes for, and whole escapes, which may end with such a character. */
const WIDE_OR_ESCAPE = /\\[^]|[^\0-\xff]/g;
const WIDE = /[^\0-\xff]/g;
const LINE_SEPARATORS = '\u2028\u2029';

/**
 * Writes the characters of a module for which V8 needs two bytes in another way: as escapes in strings and templates, as
 * `?` in comments. V8 keeps a text with two bytes per character if one of them needs it; one dash would double the memory
 * that the code takes. Elsewhere (regular expressions, names, tagged templates) such characters stay.
 */
export class OneByte {
  private readonly tagged = new Set<TemplateElement>();

  constructor(private readonly text: MagicString) {}

  writeComments(comments: readonly Comment[]): void {
    for (const { start, end } of comments) this.write(start, end, WIDE, () => '?');
  }

  /** To be called for each node, before those in it. */
  enter(node: AnyNode, parent: AnyNode | undefined): void {
    if (node.type === 'TaggedTemplateExpression') for (const part of node.quasi.quasis) this.tagged.add(part);
    const isString = node.type === 'Literal' && typeof node.value === 'string' && !isSource(node, parent);
    if (!isString && (node.type !== 'TemplateElement' || this.tagged.has(node))) return;
    this.write(node.start, node.end, WIDE_OR_ESCAPE, escaped);
  }

  private write(start: number, end: number, pattern: RegExp, replace: (found: string) => string): void {
    const before = this.text.original.slice(start, end);
    const after = before.replace(pattern, replace);
    if (after !== before) this.text.update(start, end, after);
  }
}

/** Whether a string is what an import or an export names. These are written otherwise. */
function isSource(node: AnyNode, parent: AnyNode | undefined): boolean {
  return parent !== undefined && 'source' in parent && parent.source === node;
}

/** A backslash before a character without a meaning of its own stands for nothing. */
function escaped(found: string): string {
  const wide = found.at(-1) ?? '';
  if (wide <= '\xff' || (found.length > 1 && LINE_SEPARATORS.includes(wide))) return found;
  return `\\u${wide.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
