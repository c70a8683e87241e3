import { html, svg, type TemplateResult } from 'lit';

/**
 * What a bar stands for. `decided`: a handler that blocked, changed something or failed; `hook`: any other handler;
 * `asked`: a question that waited for the user.
 */
export type BarKind = 'model' | 'hook' | 'decided' | 'asked' | 'tool';

export interface TimeBar {
  readonly kind: BarKind;
  /** Start of the bar, in ms from the beginning of the axis. */
  readonly from: number;
  readonly ms: number;
}

/** The kind of bar for a handler with this outcome. */
export function hookBar(outcome: string): BarKind {
  return outcome === 'nothing' || outcome === 'allowed' ? 'hook' : 'decided';
}

/** Length of the axis in units of the SVG, which is stretched to the available width. */
const AXIS = 1_000;
/** Top and height of each kind of bar, in tenths of the SVG's height. They make kinds different even without colors. */
const PLACES: { readonly [K in BarKind]: readonly [number, number] } = {
  model: [4, 2],
  tool: [2, 6],
  hook: [1, 8],
  decided: [0, 10],
  asked: [1, 8],
};

/**
 * Draws bars on a time axis of `total` ms. What lies beyond it, such as a tool that outlives its turn, is cut at its end.
 * Screen readers do not read them, so a text beside them must say the same. */
export function timeBars(bars: readonly TimeBar[], total: number): TemplateResult {
  const scale = AXIS / Math.max(total, Number.EPSILON);
  const placeOf = (ms: number): number => Math.min(Math.max(ms * scale, 0), AXIS);
  return html`<svg class="time-bars" viewBox="0 0 ${AXIS} 10" preserveAspectRatio="none" aria-hidden="true">
    ${bars.map(({ kind, from, ms }) => {
      const [y, height] = PLACES[kind];
      const x = placeOf(from);
      return svg`<rect class=${kind} x=${x} y=${y} width=${placeOf(from + ms) - x} height=${height}></rect>`;
    })}
  </svg>`;
}
