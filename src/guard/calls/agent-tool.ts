import { Type } from '@sinclair/typebox';
import { toolFacts } from '../../agent/tools';
import { UNKNOWN_TOOL } from '../../agent/tools/facts';
import type { AnyTool, ToolResult } from '../../agent/tools/tool';
import type { CallSurroundings } from '../../hook-run/tool-call/tool-call';

/** What surrounds a call of another agent: nothing of it happens here. */
export const OUTSIDE: CallSurroundings = {
  whenDelivered: () => Promise.resolve(),
  admitted: () => undefined,
  begin: () => Promise.resolve({ context: undefined, end: () => Promise.resolve() }),
  fit: result => Promise.resolve(result),
};

/** A tool of another agent, as what hooks and the built-in gate know by its name; it runs elsewhere. */
export function toolOfAgent(name: string, waitForResult: () => Promise<ToolResult>): AnyTool {
  const facts = toolFacts(name);
  return {
    ...(facts === UNKNOWN_TOOL ? {} : facts),
    name,
    label: name,
    description: '',
    parameters: Type.Unknown(),
    execute: waitForResult,
  };
}
