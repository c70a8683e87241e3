import {
  ToolError,
  type KnownTool,
  type CallOutcome,
  type ToolCaller,
  type ToolResult,
} from '../../../agent/tools/tool';
import { isRecord } from '../../../base/json/is-record';
import { copyData } from '../../../hook-contract/copy';
import type { HandlerRun } from '../../dispatch/handler-run';
import type { HookFunction } from '../../../hook-contract/loaded-hook';
import { HookContext, contextState } from '../context';
import { guardedCall } from '../guarded-call';
import type { HookServices } from '../services';
import { summaryOf } from './tool-loadout';

const CALLS = Symbol('calls');

/** The `ctx` of one run of a tool: as in handlers, with access to other tools. */
export class ToolCallContext extends HookContext {
  readonly [CALLS]: ToolCaller | undefined;

  /** `calls` is absent where a tool is run outside of a conversation: then it can call none. */
  constructor(run: HandlerRun, services: HookServices, calls: ToolCaller | undefined) {
    super(run, services);
    this[CALLS] = calls;
  }

  /** The tools that it can call. Running one is a nested call, which passes the gates. */
  get tools(): readonly object[] {
    const calls = this[CALLS];
    return calls === undefined ? [] : calls.tools.map(tool => listed(tool, (...given) => call(this, given)));
  }

  get executeTool() {
    return (...given: readonly unknown[]): Promise<object> => call(this, given);
  }
}

/** Runs another tool; see `executeTool` in the typings. Invalid names and arguments fail as in a call of the model. */
async function call(context: ToolCallContext, [name, args, given]: readonly unknown[]): Promise<CallOutcome> {
  const { run, services } = contextState(context);
  const { event, toolCallId = '' } = run.subject;
  const { signal, onUpdate } = isRecord(given) ? given : {};
  const listens = typeof onUpdate === 'function';
  const update = (partial: ToolResult): void =>
    void guardedCall(run.hook, services, event, (): unknown => (onUpdate as HookFunction)(partial));
  const outcome =
    (await context[CALLS]?.execute(String(name), copyData(args ?? {}), {
      signal: signal instanceof AbortSignal ? signal : undefined,
      onUpdate: listens ? update : undefined,
    })) ?? notHere(`${toolCallId}/0`, String(name));
  // Whether it failed is beside the result.
  return { ...outcome, result: { ...outcome.result, isError: undefined } };
}

function notHere(id: string, name: string): CallOutcome {
  return {
    toolCall: { type: 'toolCall', id, name, arguments: {} },
    result: { content: [{ type: 'text', text: 'No other tool can be called here.' }], details: {} },
    isError: true,
  };
}

function listed(tool: KnownTool, execute: (...given: readonly unknown[]) => Promise<CallOutcome>): object {
  return {
    ...summaryOf(tool),
    execute: async (_toolCallId: unknown, args: unknown, signal: unknown, onUpdate: unknown): Promise<ToolResult> => {
      const { result, isError } = await execute(tool.name, args, { signal, onUpdate });
      if (isError) throw new ToolError(result.content, result.details);
      return result;
    },
  };
}
