import { html, svg, type TemplateResult } from 'lit';

/** What took the time; `decided`: a hook that blocked, changed something or failed. */
export type BarKind = 'model' | 'hook' | 'decided' | 'asked' | 'tool';

export interface TimeBar {
  readonly kind: BarKind;
  /** ms from the beginning of the axis */
  readonly from: number;
  readonly ms: number;
}

/** The bar of a handler with this outcome. */
export function hookBar(outcome: string): BarKind {
  return outcome === 'nothing' || outcome === 'allowed' ? 'hook' : 'decided';
}

/** Length of the axis in units of the drawing, which is stretched to the width there is. */
const AXIS = 1_000;
/** Upper edge and height, of 10: kinds are told apart without colors as well. */
const PLACES: { readonly [K in BarKind]: readonly [number, number] } = {
  model: [4, 2],
  tool: [2, 6],
  hook: [1, 8],
  decided: [0, 10],
  asked: [1, 8],
};

/** Stretches of time on an axis of `total` ms. Decoration: what is drawn must be said in words beside it. */
export function timeBars(bars: readonly TimeBar[], total: number): TemplateResult {
  const scale = AXIS / Math.max(total, Number.EPSILON);
  return html`<svg class="time-bars" viewBox="0 0 ${AXIS} 10" preserveAspectRatio="none" aria-hidden="true">
    ${bars.map(({ kind, from, ms }) => {
      const [y, height] = PLACES[kind];
      return svg`<rect class=${kind} x=${from * scale} y=${y} width=${ms * scale} height=${height}></rect>`;
    })}
  </svg>`;
}
