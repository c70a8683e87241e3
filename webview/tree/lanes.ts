import { nothing, svg, html, type TemplateResult } from 'lit';
import type { TreeRow } from './layout';

/** Width of a lane and height of a row, px. */
const LANE_PX = 16;
const ROW_PX = 26;
const MIDDLE = ROW_PX / 2;
/** Deeper branches than this share the last lane. */
const MOST_LANES = 12;

/** Draws the lines of a row: passing lanes, its own branch and its dot. Screen readers skip them: the row's text is enough. */
export function laneView(row: TreeRow): TemplateResult {
  const lane = Math.min(row.lane, MOST_LANES);
  const width = (lane + 1) * LANE_PX + (row.inRun ? LANE_PX : 0);
  const x = middleOf(lane);
  const passing = Array.from({ length: lane }, (_, each) => each);
  return html`<svg class="tree-lanes" width=${width} height=${ROW_PX} aria-hidden="true">
    ${passing.map(each => line(middleOf(each), 0, ROW_PX, each))}
    ${row.starts ? branchLine(lane) : row.node.parent === undefined ? nothing : line(x, 0, MIDDLE, lane)}
    ${row.ends ? nothing : line(x, MIDDLE, ROW_PX, lane)} ${dot(row, x, lane)}
  </svg>`;
}

function dot(row: TreeRow, x: number, lane: number): TemplateResult | typeof nothing {
  if (row.inRun) return nothing;
  const radius = row.count > 1 ? 3 : row.node.entry.kind === 'user' ? 5.5 : 4;
  return svg`<circle class="dot ${classOf(lane)} ${row.node.entry.kind}" cx=${x} cy=${MIDDLE} r=${radius}></circle>`;
}

function branchLine(lane: number): TemplateResult {
  const from = middleOf(Math.max(0, lane - 1));
  const to = middleOf(lane);
  return svg`<path class="line ${classOf(lane)}" d="M ${from} 0 C ${from} ${MIDDLE}, ${to} 0, ${to} ${MIDDLE}"></path>`;
}

function line(x: number, from: number, to: number, lane: number): TemplateResult {
  return svg`<line class="line ${classOf(lane)}" x1=${x} y1=${from} x2=${x} y2=${to}></line>`;
}

function middleOf(lane: number): number {
  return lane * LANE_PX + LANE_PX / 2;
}

function classOf(lane: number): string {
  return `lane-${lane % 5}`;
}
