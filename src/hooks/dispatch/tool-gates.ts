import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';
import { ChangedTargetError, isSameTarget, type FileTarget } from '../../agent/tools/files/file-target';
import { ABORTED_TEXT, ToolBlocked, type AnyTool } from '../../agent/tools/tool';
import { ApprovedInput } from '../built-in-gate/approved-input';
import { targetOf, toolKind, type AskedCall } from '../built-in-gate/call-details';
import type { GateAnswer, GateHook } from '../built-in-gate/gate-hook';
import type { HookConversation } from '../conversation-port';
import { copyData } from './copy';
import { SWAP_TAKES_LONG, type HookRunner } from './runner';

/** The gates that a call passes before it runs. */
export interface Gates {
  readonly runner: HookRunner;
  /** The built-in gate, asked when all hooks have let the call pass; absent: there is none. */
  readonly builtIn?: GateHook | undefined;
}

/** One tool call while hooks handle it. */
export interface GatedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The call whose tool makes this one. */
  readonly parentToolCallId?: string;
  readonly input: Record<string, unknown>;
}

/**
 * Lets a call pass, after all hooks and then the built-in gate were asked. Throws {@link ToolBlocked} with the reason that
 * the model reads: of the hook that blocks, of the gate that is missing, or of the built-in gate, each with what the user
 * says about a denial. Returns the file that the call may use, where that is known.
 */
export async function passGates(
  tool: AnyTool,
  call: GatedCall,
  { runner, builtIn }: Gates,
  conversation: HookConversation,
  signal: AbortSignal | undefined,
): Promise<FileTarget | undefined> {
  stopIfAborted(signal);
  const isInPlace = await runner.whenSwapped(signal);
  stopIfAborted(signal);
  if (!isInPlace) throw new ToolBlocked(SWAP_TAKES_LONG);
  const { toolName, input } = call;
  const { cwd } = conversation;
  const kind = toolKind(tool);
  const asked: AskedCall = { toolName, kind, input, cwd, ...defined({ definition: tool.definition }) };
  // Hooks may ask the user about the file before the built-in gate looks at it.
  const before = targetOf(asked);
  const approved = new ApprovedInput({ kind, cwd });
  const ofHooks = runner.askGates({ type: 'tool_call', ...call }, conversation, { signal, approved });
  const hasHooks = ofHooks !== undefined;
  if (hasHooks) {
    const verdict = await ofHooks;
    stopIfAborted(signal);
    if (verdict.block) {
      throw new ToolBlocked(withDenial(verdict.reason, call, conversation), verdict.by, verdict.terminate);
    }
  }
  // Called after the hooks: they may have changed the input, and the user must confirm what runs.
  await passMissingGate(call, { runner, approved }, conversation, signal);
  const wasAsked = approved.covers(input);
  let target = before && { ...before, isAsked: wasAsked };
  const tell = (answer: GateAnswer): void => void (target = answer.target);
  const delivery = builtIn?.delivery({ call: asked, state: { wasAsked, hasHooks }, tell }, conversation);
  if (delivery !== undefined) {
    const verdict = await runner.emitThrough([delivery], { type: 'tool_call', ...call }, conversation, { signal });
    stopIfAborted(signal);
    if (verdict.block) throw new ToolBlocked(withDenial(verdict.reason, call, conversation), verdict.by);
  }
  reportDenial(call, conversation);
  if (wasAsked && before !== undefined && !(target !== undefined && isSameTarget(before, target))) {
    const { message } = new ChangedTargetError(String(input['path']), 'it changed');
    throw new ToolBlocked(message);
  }
  return target;
}

/** Asks about a missing gate, until the answer is about the input that runs: code that a hook left running may change it. */
async function passMissingGate(
  call: GatedCall,
  { runner, approved }: { readonly runner: HookRunner; readonly approved: ApprovedInput },
  conversation: HookConversation,
  signal: AbortSignal | undefined,
): Promise<void> {
  while (runner.missingGate !== undefined) {
    const shown = copyData(call.input);
    const missing = await runner.missingGate(call, conversation, signal);
    stopIfAborted(signal);
    if (missing.type === 'refused') throw new ToolBlocked(withDenial(missing.reason, call, conversation));
    if (missing.type === 'unneeded') return;
    approved.note(shown);
    if (approved.covers(call.input)) return;
  }
}

/** The user may give a reason for a denial: the hook gets its documented answer, the model gets both. */
function withDenial(reason: string, { toolCallId }: GatedCall, conversation: HookConversation): string {
  const message = conversation.takeDenial?.(toolCallId);
  return message === undefined ? reason : `${reason}\n\nThe user says: ${message}`;
}

/** The hook let the call pass anyway: the user's reason must not be lost. */
function reportDenial({ toolCallId }: GatedCall, conversation: HookConversation): void {
  const message = conversation.takeDenial?.(toolCallId);
  if (message === undefined) return;
  conversation
    .sendUserMessage(message, { deliverAs: 'steer', queueWhenStreaming: true })
    .catch((error: unknown) =>
      conversation.ui.notify(messageOf(error), 'error', { hookPath: '', event: 'tool_call', toolCallId }),
    );
}

/** @throws Error `Operation aborted` */
export function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new Error(ABORTED_TEXT);
}
