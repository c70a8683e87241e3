import type { Rule, StreamRule } from './stream-rule';

/** How far back a pattern can reach, in UTF-16 units: longer matches that come in pieces are not seen. */
export const RULE_WINDOW = 1000;

/**
 * Matches the text of one answer against rules while it grows. Each piece is looked at together with the
 * {@link RULE_WINDOW} before it, so the work per piece does not depend on how long the answer is. Blocks of an answer
 * are texts of their own. Patterns see the text as far as it has come: `$` holds at its end for now.
 */
export class RuleMatcher {
  private readonly tails = new Map<number, string>();

  constructor(private readonly rules: readonly StreamRule[]) {}

  /** The rules that a further piece of a block goes against. */
  add(block: number, piece: string): readonly Rule[] {
    const tail = this.tails.get(block) ?? '';
    const text = tail + piece;
    // One more than the window stays, so that `^` and `\b` at its border are not deceived by the cut.
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
