import { ToolBlocked, ToolError, type AnyTool, type ToolResult, type ToolUpdate } from '../../agent/tools/tool';
import { anySignal } from '../../base/async/wait';
import { messageOf } from '../../base/errors';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type { HookHost } from '../../hook-run/host/host';
import type { GuardedEvent, GuardedEventBase } from '../agents/agent';
import { EventFrame } from './event-frame';
import type { CallScope, GuardedCalls } from './guarded-calls';
import { argumentsFor, offersOf, withOwnName } from './offered-tools';

/** What is known of a session from its start: of an agent, or of an MCP client, whose name stands for the agent's id. */
export type OtherSession = Omit<GuardedEventBase, 'agent' | 'name'> & { readonly agent: string };

/** A call of a hook's tool that runs here. */
export interface ToolCallHere {
  readonly toolName: string;
  /** As the client gave them. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly onUpdate: ToolUpdate;
}

/** What became of it. */
export interface ToolOutcomeHere {
  /** Never thrown: a failure has `isError`. */
  readonly result: ToolResult;
  /** A gate blocked the call. */
  readonly isBlocked: boolean;
  /** Path of the hook that blocked it, where one did. */
  readonly by?: string | undefined;
  /** What hooks did meanwhile. */
  readonly frame: EventFrame;
}

export interface SessionToolsParts {
  readonly hooks: Pick<HookHost, 'tools' | 'runner'>;
  readonly calls: GuardedCalls;
  /** The conversation of the session, as long as no event says more. */
  readonly conversation: HookConversation;
  /** Fires when the session ends. */
  readonly ended: AbortSignal;
  /** Where hooks look at a call, after they were told that the session began. */
  readonly begin: (facts: OtherSession) => Promise<CallScope>;
}

/** Calls of the tools of hooks in one session of another agent, which come to our own MCP server and run here. */
export class SessionTools {
  constructor(private readonly parts: SessionToolsParts) {}

  /** An event about a call of such a tool, with the name and the arguments that the tool has; any other event as it is. */
  asSeen<E extends GuardedEvent>(event: E, { conversation }: CallScope): E {
    const offers = (): ReturnType<typeof offersOf> => offersOf(this.parts.hooks.runner.loaded);
    return withOwnName(event, offers, name => this.named(name, conversation));
  }

  /**
   * Runs a call that an event of this session has let pass, and each of them once; undefined where there is none. `id`: the
   * agent's id of the call, where the client tells it.
   */
  claim(call: ToolCallHere, id: string | undefined): Promise<ToolOutcomeHere> | undefined {
    const { calls, conversation } = this.parts;
    const tool = this.named(call.toolName, conversation);
    const input = tool && argumentsOrNone(tool, call.given);
    const claimed = input && calls.claim(call.toolName, input, id);
    if (tool === undefined || claimed === undefined) return undefined;
    const frame = this.frameOf('tool_result', call);
    return outcomeOf(frame, () => claimed.run(tool, { frame, onUpdate: call.onUpdate }));
  }

  /** Runs a call after all its gates were asked. */
  run(call: ToolCallHere, toolCallId: string, facts: OtherSession): Promise<ToolOutcomeHere> {
    const { toolName, given, onUpdate } = call;
    const frame = this.frameOf('tool_call', call);
    return outcomeOf(frame, async () => {
      const scope = await this.parts.begin(facts);
      scope.frame = frame;
      try {
        const tool = this.named(toolName, scope.conversation);
        if (tool === undefined) throw new Error(`The tool ${toolName} is not there any more: its hook was changed.`);
        const input = argumentsFor(tool, given);
        return await this.parts.calls.runTool(tool, { toolCallId, input }, scope, { frame, onUpdate });
      } finally {
        scope.frame = undefined;
      }
    });
  }

  private frameOf(type: 'tool_call' | 'tool_result', { signal }: ToolCallHere): EventFrame {
    return new EventFrame({ type }, anySignal(this.parts.ended, signal));
  }

  private named(name: string, conversation: HookConversation): AnyTool | undefined {
    return this.parts.hooks.tools(conversation).find(tool => tool.name === name);
  }
}

/** Undefined where the arguments are wrong: then no event let them pass. */
function argumentsOrNone(tool: AnyTool, given: unknown): Record<string, unknown> | undefined {
  try {
    return argumentsFor(tool, given);
  } catch {
    return undefined;
  }
}

/** Never rejects. */
async function outcomeOf(frame: EventFrame, work: () => Promise<ToolResult>): Promise<ToolOutcomeHere> {
  try {
    return { result: await work(), isBlocked: false, frame };
  } catch (error) {
    const content = error instanceof ToolError ? error.content : [{ type: 'text' as const, text: messageOf(error) }];
    const result = { content, details: {}, isError: true };
    return error instanceof ToolBlocked
      ? { result, isBlocked: true, by: error.by, frame }
      : { result, isBlocked: false, frame };
  }
}
