import type { Rule, StreamRule } from './stream-rule';

/** How far back a pattern can reach, in UTF-16 units: longer matches that come in pieces are not seen. */
export const RULE_WINDOW = 1000;

/**
 * Matches the text of one answer against rules while it grows. Each piece is tested together with the {@link RULE_WINDOW} before
 * it, so the work per piece does not depend on the length of the answer. Each block of an answer is a separate text. Patterns see
 * the text that has arrived: `$` matches at its current end.
 */
export class RuleMatcher {
  private readonly tails = new Map<number, string>();

  constructor(private readonly rules: readonly StreamRule[]) {}

  /** The rules that the next piece of a block breaks. */
  add(block: number, piece: string): readonly Rule[] {
    const tail = this.tails.get(block) ?? '';
    const text = tail + piece;
    // One unit more than the window is kept, so that `^` and `\b` do not match at the cut.
    const start = Math.max(0, tail.length - RULE_WINDOW);
    const found = this.rules.filter(({ patterns }) => patterns.some(pattern => matchesFrom(pattern, text, start)));
    this.tails.set(block, text.slice(-(RULE_WINDOW + 1)));
    return found.map(({ rule }) => rule);
  }
}

function matchesFrom(pattern: RegExp, text: string, start: number): boolean {
  pattern.lastIndex = start;
  return pattern.test(text);
}
