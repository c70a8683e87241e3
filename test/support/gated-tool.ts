import type { AnyTool, GatedTool } from '../../src/agent/tools/tool';

type Gate = (toolCallId: string, params: Record<string, unknown>) => Promise<void>;

/** A tool as a run of the agent has it, behind one gate; absent: all calls pass. */
export function behindGate(tool: AnyTool, gate: Gate = () => Promise.resolve()): GatedTool {
  const admit: GatedTool['admit'] = async (toolCallId, params, signal) => {
    await gate(toolCallId, params);
    return onUpdate => tool.execute(toolCallId, params, signal, onUpdate);
  };
  return { ...tool, admit } as unknown as GatedTool;
}
