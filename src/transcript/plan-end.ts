import { PLAN_TOOL } from '../agent/tools/plan-facts';
import { isRecord } from '../base/json/is-record';
import { isApprovalMode } from '../hook-contract/approvals/approval-mode';
import type { PlanEnd } from '../protocol/items/chat-item';

/** What became of a plan, as the details of the call's result in the session. */
export type PlanDetails =
  | {
      readonly accepted: true;
      /** How the agent goes on. */
      readonly mode: 'ask' | 'edits' | 'auto';
      /** The plan as the user edited it. */
      readonly plan?: string;
    }
  | { readonly accepted: false; readonly feedback?: string };

/**
 * What became of a plan, by the details of its call's result; undefined for another tool, whatever the details are. Sessions of
 * earlier versions tell no more than yes or no.
 */
export function planEnd(toolName: string, details: unknown): PlanEnd | undefined {
  if (toolName !== PLAN_TOOL || !isRecord(details) || typeof details['accepted'] !== 'boolean') return undefined;
  const { accepted, mode, plan, feedback } = details;
  if (!accepted) return typeof feedback === 'string' ? { type: 'sentBack', wish: feedback } : { type: 'refused' };
  return {
    type: 'approved',
    ...(isApprovalMode(mode) && mode !== 'plan' ? { mode } : {}),
    ...(typeof plan === 'string' ? { edited: plan } : {}),
  };
}
