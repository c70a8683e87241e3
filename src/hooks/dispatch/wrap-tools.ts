import { setImmediate } from 'node:timers/promises';
import { messageOf } from '../../base/errors';
import { anySignal, unlessAborted } from '../../base/wait';
import { ApprovedInput } from '../built-in-gate/approved-input';
import { toolKind } from '../built-in-gate/call-details';
import type { GateHook } from '../built-in-gate/gate-hook';
import type { ContentPart } from '../../agent/messages';
import { ABORTED_TEXT, ToolBlocked, ToolError, type AnyTool, type ToolResult } from '../../agent/tools/tool';
import type { HookConversation } from '../conversation-port';
import type { HookRunner } from './runner';

/** The gates that a call passes before it runs. */
export interface Gates {
  readonly runner: HookRunner;
  /** The built-in gate, asked when all hooks have let the call pass; absent: there is none. */
  readonly builtIn?: GateHook | undefined;
}

/** One tool call while hooks handle it. */
interface Call {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The call whose tool makes this one. */
  readonly parentToolCallId?: string;
  readonly input: Record<string, unknown>;
}

/**
 * Wraps tools with hooks: before the call, `tool_call` handlers may block it or change its arguments (`admit`); after
 * it, `tool_result` handlers may change the result (docs/dialects.md, D22, C17, C18). A blocked call throws {@link
 * ToolBlocked} and emits no `tool_result`; an aborted one throws `Operation aborted` even while a hook is asking.
 */
export function wrapToolsWithHooks(
  tools: readonly AnyTool[],
  runner: HookRunner,
  conversation: HookConversation,
): AnyTool[] {
  return tools.map(tool => wrapToolWithHooks(tool, { runner }, conversation));
}

/** See {@link wrapToolsWithHooks}; `parentToolCallId`: for the calls of the tool that this call runs. */
export function wrapToolWithHooks(
  tool: AnyTool,
  gates: Gates,
  conversation: HookConversation,
  parentToolCallId?: string,
): AnyTool {
  const { runner } = gates;
  /** Arguments that passed the gates and did not run yet. */
  const admitted = new WeakSet<object>();
  const parent = typeof parentToolCallId === 'string' ? { parentToolCallId } : {};
  const callOf = (toolCallId: string, input: Record<string, unknown>): Call => ({
    toolCallId,
    toolName: tool.name,
    ...parent,
    input,
  });
  const admit = (toolCallId: string, params: Record<string, unknown>, signal?: AbortSignal): Promise<void> =>
    passGates(tool, callOf(toolCallId, params), gates, conversation, signal);
  return {
    ...tool,
    async admit(toolCallId: string, params: Record<string, unknown>, signal): Promise<void> {
      await admit(toolCallId, params, signal);
      admitted.add(params);
    },
    async execute(toolCallId: string, params: Record<string, unknown>, signal, onUpdate): Promise<ToolResult> {
      const call = callOf(toolCallId, params);
      if (admitted.delete(params)) stopIfAborted(signal);
      else await admit(toolCallId, params, signal);
      const updates = { given: false };
      const passOn = (partial: ToolResult): void => {
        updates.given = true;
        onUpdate?.(partial);
      };
      const settled = await run(() => tool.execute(toolCallId, params, signal, passOn));
      // The agent emits the last partial result before hooks get the result.
      if (updates.given) await setImmediate();
      return await reviewed(call, settled, runner, conversation, signal);
    },
  };
}

/** How long a call waits for a reload of hooks, in ms, before it is refused. Longer than a factory may take. */
const SWAP_TIMEOUT_MS = 60_000;

/**
 * During a reload the old instances no longer guard and the new ones do not yet. A reload waits for shutdown handlers
 * and factories, never for a tool call, so the two cannot deadlock.
 */
async function awaitSwap(runner: HookRunner, signal: AbortSignal | undefined): Promise<void> {
  if (runner.currentSwap() === undefined) return;
  const end = anySignal(AbortSignal.timeout(SWAP_TIMEOUT_MS), signal);
  while (runner.currentSwap() !== undefined && !end.aborted) {
    await unlessAborted(runner.currentSwap(), end, () => undefined);
  }
  stopIfAborted(signal);
  if (runner.currentSwap() === undefined) return;
  throw new ToolBlocked('the hooks are being reloaded, which takes too long.');
}

async function passGates(
  tool: AnyTool,
  call: Call,
  { runner, builtIn }: Gates,
  conversation: HookConversation,
  signal: AbortSignal | undefined,
): Promise<void> {
  stopIfAborted(signal);
  await awaitSwap(runner, signal);
  const approved = new ApprovedInput();
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
  const missing = await runner.missingGate?.(call, conversation, signal);
  stopIfAborted(signal);
  if (missing?.type === 'refused') throw new ToolBlocked(withDenial(missing.reason, call, conversation));
  if (missing?.type === 'confirmed') approved.note(call.input);
  const { toolName, input } = call;
  const asked = { toolName, kind: toolKind(tool), input, cwd: conversation.cwd };
  const state = { wasAsked: approved.covers(input), hasHooks };
  const delivery = builtIn?.delivery({ call: asked, state }, conversation);
  if (delivery !== undefined) {
    const verdict = await runner.emitThrough([delivery], { type: 'tool_call', ...call }, conversation, { signal });
    stopIfAborted(signal);
    if (verdict.block) throw new ToolBlocked(withDenial(verdict.reason, call, conversation), verdict.by);
  }
  reportDenial(call, conversation);
}

/** The user may give a reason for a denial: the hook gets its documented answer, the model gets both. */
function withDenial(reason: string, { toolCallId }: Call, conversation: HookConversation): string {
  const message = conversation.takeDenial?.(toolCallId);
  return message === undefined ? reason : `${reason}\n\nThe user says: ${message}`;
}

/** The hook let the call pass anyway: the user's reason must not be lost. */
function reportDenial({ toolCallId }: Call, conversation: HookConversation): void {
  const message = conversation.takeDenial?.(toolCallId);
  if (message === undefined) return;
  conversation
    .sendUserMessage(message, { deliverAs: 'steer', queueWhenStreaming: true })
    .catch((error: unknown) =>
      conversation.ui.notify(messageOf(error), 'error', { hookPath: '', event: 'tool_call', toolCallId }),
    );
}

function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new Error(ABORTED_TEXT);
}

/** How a tool ended, before any hook looked at it. */
interface Settled extends ToolResult {
  readonly isError: boolean;
  /** What it threw, if it did. */
  readonly thrown?: { readonly error: unknown };
}

async function run(execute: () => Promise<ToolResult>): Promise<Settled> {
  try {
    const result = await execute();
    return { ...result, isError: result.isError === true };
  } catch (error) {
    return { content: contentOf(error), ...dataOf(error), isError: true, thrown: { error } };
  }
}

function dataOf(error: unknown): Pick<ToolResult, 'details' | 'structuredContent'> {
  if (!(error instanceof ToolError) || error.structuredContent === undefined) return { details: {} };
  const { details, structuredContent } = error;
  return { details, structuredContent };
}

function contentOf(error: unknown): ContentPart[] {
  return error instanceof ToolError ? error.content : [{ type: 'text', text: messageOf(error) }];
}

async function reviewed(
  call: Call,
  settled: Settled,
  runner: HookRunner,
  conversation: HookConversation,
  signal: AbortSignal | undefined,
): Promise<ToolResult> {
  const { thrown, ...result } = settled;
  if (!runner.hasHandlers('tool_result')) {
    if (thrown !== undefined) throw thrown.error;
    return result;
  }
  const { terminate, ...told } = result;
  const seen = await runner.emit({ type: 'tool_result', ...call, ...told }, conversation, { signal });
  const untouched =
    seen.content === told.content &&
    seen.details === told.details &&
    seen.isError === told.isError &&
    !('usage' in seen);
  if (thrown !== undefined && untouched) throw thrown.error;
  return { ...seen, ...(terminate === undefined ? {} : { terminate }) };
}
