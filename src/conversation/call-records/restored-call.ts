import type { ToolItem, ToolState } from '../../protocol/chat-item';
import { endState } from '../cards/present-verdict';
import { withRecord, type CallRecord } from './call-record';

/** What pi, other hosts and we give as the result of a call that a hook blocked without a reason, or by failing. */
const BLOCKED = /^(?:Tool execution was blocked\b|(?:Hook|Extension) failed, blocking execution: |Blocked(?:\b|$))/i;
/** A command that failed by itself may begin with any word. */
const RAN = /\n\nCommand (?:exited with code|timed out|aborted)[^\n]*$/;

/** The card of a call as its session has it, with what is known of the call besides; `record` undefined: nothing. */
export function restoredCall(card: ToolItem, isError: boolean, record: CallRecord | undefined): ToolItem {
  return record === undefined
    ? { ...card, unrecorded: true, state: stateFromText(card, isError) }
    : withRecord(card, record, card.output);
}

/** The session does not say who blocked; that somebody did is mostly plain from the text. */
function stateFromText(card: ToolItem, isError: boolean): ToolState {
  const { output } = card;
  return isError && saysBlocked(output)
    ? { type: 'blocked', reason: output }
    : endState(card, output, isError, undefined);
}

/** Whether the text of a failed call is that of one that a hook did not let run; a reason may say anything, though. */
export function saysBlocked(output: string): boolean {
  return BLOCKED.test(output) && !RAN.test(output);
}
