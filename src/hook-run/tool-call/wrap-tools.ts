import type { AnyTool } from '../../agent/tools/tool';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type { HookRunner } from '../dispatch/runner';
import { gatedTool, type CallSurroundings } from './tool-call';

/** For calls that belong to no run of a conversation. */
export const NOTHING_AROUND: CallSurroundings = {
  whenDelivered: () => Promise.resolve(),
  admitted: () => undefined,
  begin: () => Promise.resolve({ context: undefined, end: () => Promise.resolve() }),
  fit: result => Promise.resolve(result),
};

/** Tools whose calls pass the hooks of a runner. For hooks that import it under pi's name; our own calls pass more. */
export function wrapToolsWithHooks(
  tools: readonly AnyTool[],
  runner: HookRunner,
  conversation: HookConversation,
): AnyTool[] {
  return tools.map(tool => wrapToolWithHooks(tool, { runner }, conversation));
}

/** See {@link wrapToolsWithHooks}. */
export function wrapToolWithHooks(
  tool: AnyTool,
  { runner }: { readonly runner: HookRunner },
  conversation: HookConversation,
): AnyTool {
  const duringCall = <T>(_tool: unknown, call: () => Promise<T>): Promise<T> => call();
  const gated = gatedTool(tool, { conversation, runner, builtInGate: undefined, duringCall, around: NOTHING_AROUND });
  return {
    ...tool,
    execute: async (toolCallId, params: Record<string, unknown>, signal, onUpdate) => {
      const run = await gated.admit(toolCallId, params, signal);
      return run(onUpdate);
    },
  };
}
