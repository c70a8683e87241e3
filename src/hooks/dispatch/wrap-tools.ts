import { setImmediate } from 'node:timers/promises';
import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';
import type { ContentPart } from '../../agent/messages';
import { withTarget, type FileTarget } from '../../agent/tools/files/file-target';
import { ABORTED_TEXT, ToolError, type AnyTool, type ToolResult } from '../../agent/tools/tool';
import type { HookConversation } from '../conversation-port';
import { SWAP_TAKES_LONG, type HookRunner } from './runner';
import { passGates, stopIfAborted, type GatedCall, type Gates } from './tool-gates';

/**
 * Wraps tools with hooks: before the call, `tool_call` handlers may block it or change its arguments (`admit`); after
 * it, `tool_result` handlers may change the result (docs/dialects.md, D22, C17, C18). A blocked call throws `ToolBlocked`
 * and emits no `tool_result`; an aborted one throws `Operation aborted` even while a hook is asking.
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
  const admitted = new WeakMap<object, { readonly target: FileTarget | undefined }>();
  const parent = typeof parentToolCallId === 'string' ? { parentToolCallId } : {};
  const callOf = (toolCallId: string, input: Record<string, unknown>): GatedCall => ({
    toolCallId,
    toolName: tool.name,
    ...parent,
    input,
  });
  const admit = (
    toolCallId: string,
    params: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<FileTarget | undefined> => passGates(tool, callOf(toolCallId, params), gates, conversation, signal);
  return {
    ...tool,
    async admit(toolCallId: string, params: Record<string, unknown>, signal): Promise<void> {
      admitted.set(params, { target: await admit(toolCallId, params, signal) });
    },
    async execute(toolCallId: string, params: Record<string, unknown>, signal, onUpdate): Promise<ToolResult> {
      const call = callOf(toolCallId, params);
      const passed = admitted.get(params) ?? { target: await admit(toolCallId, params, signal) };
      admitted.delete(params);
      stopIfAborted(signal);
      const updates = { given: false };
      const passOn = (partial: ToolResult): void => {
        updates.given = true;
        onUpdate?.(partial);
      };
      const settled = await run(() =>
        withTarget(passed.target, () => tool.execute(toolCallId, params, signal, passOn)),
      );
      // The agent emits the last partial result before hooks get the result.
      if (updates.given) await setImmediate();
      return await reviewed(call, settled, runner, conversation, signal);
    },
  };
}

/** How a tool ended, before any hook looked at it. */
interface Settled extends ToolResult {
  readonly isError: boolean;
  /** The error, if the tool threw one. */
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

/** A result that is not reviewed in time is withheld, because a hook may remove something from it. */
async function reviewed(
  call: GatedCall,
  settled: Settled,
  runner: HookRunner,
  conversation: HookConversation,
  signal: AbortSignal | undefined,
): Promise<ToolResult> {
  const { thrown, ...result } = settled;
  if (!(await runner.whenSwapped(signal))) {
    stopIfAborted(signal);
    throw new Error(`The result was withheld: ${SWAP_TAKES_LONG}`);
  }
  if (!runner.hasHandlers('tool_result')) {
    if (thrown !== undefined) throw thrown.error;
    return result;
  }
  const { terminate, ...reported } = result;
  const event = { type: 'tool_result', ...call, ...reported } as const;
  const { isUnreviewed, ...answer } = await runner.emit(event, conversation, { signal });
  if (isUnreviewed === true) throw new Error(ABORTED_TEXT);
  const untouched =
    answer.content === reported.content &&
    answer.details === reported.details &&
    answer.isError === reported.isError &&
    !('usage' in answer);
  if (thrown !== undefined && untouched) throw thrown.error;
  return { ...answer, ...defined({ terminate }) };
}
