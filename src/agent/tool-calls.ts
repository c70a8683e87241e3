import type { ToolCall } from '@mariozechner/pi-ai';
import { messageOf } from '../base/errors';
import { LatestValue } from '../base/latest-value';
import { unlessAborted } from '../base/wait';
import type { AgentEvent } from './events';
import type { AssistantMessage, ToolResultMessage } from './messages';
import type { PiAi } from './models/pi-ai-module';
import { throwAborted } from './tools/abort';
import { ABORTED_TEXT, ToolBlocked, ToolError, type AnyTool, type ToolOutcome, type ToolResult } from './tools/tool';

/** Text of a tool call that was passed over because the user said something first. */
export const SKIPPED_TEXT = 'Skipped due to queued user message.';

/** A tool that ignores its abort signal is given up after this time, in ms; its late result is dropped. */
const ABORT_GRACE_MS = 3000;

export function toolCallsOf(message: AssistantMessage): readonly ToolCall[] {
  return message.content.filter(part => part.type === 'toolCall');
}

/**
 * Runs the tool calls of one answer one after the other and yields their events and result messages in order. After
 * each call `interrupted` is asked: when true the remaining calls get {@link SKIPPED_TEXT} without running, and when
 * the signal fired they get `Operation aborted`. Unknown tools, bad arguments and throwing tools become error results.
 */
export async function* runToolCalls(
  message: AssistantMessage,
  tools: readonly AnyTool[],
  signal: AbortSignal,
  interrupted: () => boolean,
): AsyncGenerator<AgentEvent | ToolResultMessage, void> {
  let skip = false;
  const cut = message.stopReason === 'length';
  for (const call of toolCallsOf(message)) {
    const { id: toolCallId, name: toolName } = call;
    yield { type: 'tool_execution_start', toolCallId, toolName, args: call.arguments };
    const refusal = refusalFor(call, { skip, cut, aborted: signal.aborted });
    const { result, outcome } = refusal ?? (yield* execute(call, tools, signal));
    const isError = result.isError === true;
    yield { type: 'tool_execution_end', toolCallId, toolName, result, isError, outcome };
    yield {
      role: 'toolResult',
      toolCallId,
      toolName,
      content: result.content,
      details: result.details,
      isError,
      timestamp: Date.now(),
    };
    skip ||= !signal.aborted && interrupted();
  }
}

/** A call that is over. */
interface Ended {
  readonly result: ToolResult;
  readonly outcome: ToolOutcome;
}

/** How a call ends that does not run at all; a cut-off answer may carry half a command, so none of its calls run. */
function refusalFor(
  call: ToolCall,
  state: { readonly skip: boolean; readonly cut: boolean; readonly aborted: boolean },
): Ended | undefined {
  if (state.aborted) return failed(ABORTED_TEXT);
  if (state.skip) return { result: errorResult(SKIPPED_TEXT), outcome: { type: 'skipped', reason: SKIPPED_TEXT } };
  if (!state.cut) return undefined;
  return failed(
    `The answer was cut off at the model's output limit, so ${call.name} was not run: its arguments may be incomplete.`,
  );
}

async function* execute(
  call: ToolCall,
  tools: readonly AnyTool[],
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, Ended> {
  const tool = tools.find(candidate => candidate.name === call.name);
  if (tool === undefined) return failed(`Tool ${call.name} not found`);
  const checked = await checkArguments(tool, call);
  if ('problem' in checked) return failed(checked.problem);
  const updates = new LatestValue<ToolResult>();
  const work = settle(tool, call.id, checked.params, signal, updates);
  for await (const partialResult of updates) {
    yield {
      type: 'tool_execution_update',
      toolCallId: call.id,
      toolName: call.name,
      args: checked.params,
      partialResult,
    };
  }
  return work;
}

type Checked = { readonly params: Record<string, unknown> } | { readonly problem: string };

/** Asked for with the first call; `import()` itself takes longer than the check, so it is done once. */
let piAi: PiAi | undefined;

async function checkArguments(tool: AnyTool, call: ToolCall): Promise<Checked> {
  const { validateToolArguments } = (piAi ??= await import('@mariozechner/pi-ai'));
  try {
    const prepared = tool.prepareArguments === undefined ? call.arguments : tool.prepareArguments(call.arguments);
    const checked: unknown = validateToolArguments(
      { name: tool.name, description: tool.description, parameters: tool.parameters as never },
      { ...call, arguments: prepared as Record<string, unknown> },
    );
    return { params: checked as Record<string, unknown> };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** Runs a tool to its end; never rejects, and closes `updates` when nothing more will come. */
async function settle(
  tool: AnyTool,
  toolCallId: string,
  params: Record<string, unknown>,
  signal: AbortSignal,
  updates: LatestValue<ToolResult>,
): Promise<Ended> {
  try {
    const running = tool.execute(toolCallId, params, signal, partial => updates.set(partial));
    const result = await unlessAborted(running, signal, throwAborted, ABORT_GRACE_MS);
    return checkedResult(tool, result);
  } catch (error) {
    return endedBy(error);
  } finally {
    updates.close();
  }
}

/** Tools of hooks are foreign code: a result without content must not reach the provider. */
function checkedResult(tool: AnyTool, given: unknown): Ended {
  const content = typeof given === 'object' && given !== null && 'content' in given ? given.content : undefined;
  if (!Array.isArray(content)) return failed(`Tool ${tool.name} returned no content list.`);
  const result = given as ToolResult;
  return { result, outcome: { type: result.isError === true ? 'failed' : 'done' } };
}

function endedBy(error: unknown): Ended {
  if (error instanceof ToolBlocked) {
    const { message, reason, by } = error;
    const outcome = { type: 'blocked', reason, ...(by === undefined ? {} : { by }) } as const;
    return { result: errorResult(message), outcome };
  }
  if (!(error instanceof ToolError)) return failed(messageOf(error));
  const { content, details } = error;
  return { result: { content, details, isError: true }, outcome: { type: 'failed' } };
}

function failed(text: string): Ended {
  return { result: errorResult(text), outcome: { type: 'failed' } };
}

function errorResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }], details: undefined, isError: true };
}
