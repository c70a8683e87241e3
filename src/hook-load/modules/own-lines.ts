import type * as piTui from '@mariozechner/pi-tui';

/** A component that keeps the lines that its children gave, to see whether they changed. */
interface Keeping {
  childLines?: { readonly parts: readonly (readonly string[])[] };
}

type Render = (this: Keeping, width: number) => readonly string[];

const changed = new WeakSet<object>();

/**
 * Has the components of pi-tui give lines that are the caller's own, and keep no list of others. They keep what they
 * rendered, and hooks that were written before change what `render` gives: the next picture would have that change in it,
 * and a list that its owner changed would not be drawn again.
 */
export function giveOwnLines(tui: typeof piTui): void {
  for (const exported of Object.values<unknown>(tui)) {
    const prototype =
      typeof exported === 'function' ? (exported.prototype as { render?: Render } | undefined) : undefined;
    if (prototype === undefined || !Object.hasOwn(prototype, 'render') || changed.has(prototype)) continue;
    const { render } = prototype;
    if (typeof render !== 'function') continue;
    changed.add(prototype);
    prototype.render = function (width) {
      const before = this.childLines;
      const lines = render.call(this, width);
      const { childLines } = this;
      if (childLines !== undefined && childLines !== before) {
        this.childLines = { ...childLines, parts: childLines.parts.map(part => [...part]) };
      }
      return Array.isArray(lines) ? [...(lines as readonly string[])] : lines;
    };
  }
}
