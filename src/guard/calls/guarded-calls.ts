import { isDeepStrictEqual } from 'node:util';
import { ToolBlocked, type AdmittedCall, type AnyTool, type ToolResult, type ToolUpdate } from '../../agent/tools/tool';
import { deferred, type Deferred } from '../../base/async/wait';
import { messageOf } from '../../base/errors';
import { copyData } from '../../hook-contract/copy';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type { HookHost } from '../../hook-run/host/host';
import type { GuardedEventOf, EventAnswer, TranslatedCall } from '../agents/agent';
import { OUTSIDE, toolOfAgent } from './agent-tool';
import { NOBODY_ASKED, type EventFrame } from './event-frame';
import type { Scope } from './guarded-conversation';
import { LentSignal } from './lent-signal';
import type { SessionMessages } from './session-messages';

/** What became of an event. */
export interface EventOutcome {
  readonly answer: EventAnswer;
  /** Path of the hook that decided, where one did. */
  readonly by?: string | undefined;
}

/** What {@link GuardedCalls} needs of the session. */
export interface CallParts {
  readonly hooks: Pick<HookHost, 'gateTool' | 'runner'>;
  readonly messages: SessionMessages;
  /** Name of the agent, as users know it. */
  readonly agentName: string;
  /** Asks what no hook may leave out. Rejects with {@link ToolBlocked} if the call must not run. */
  readonly ownQuestion: (call: TranslatedCall, toolCallId: string, at: CallScope) => Promise<void>;
}

/** Where hooks look at one tool call. */
export interface CallScope extends Scope {
  readonly conversation: HookConversation;
}

type CallEvent = GuardedEventOf<'tool_call'>;
type ResultEvent = GuardedEventOf<'tool_result'>;

/** One of the calls of an event, which its gates let pass. */
interface AdmittedPart {
  readonly toolCallId: string;
  readonly call: TranslatedCall;
  readonly run: AdmittedCall;
  /** Resolves with undefined where the agent reports no result. */
  readonly result: Deferred<ToolResult | undefined>;
}

/** A call between its admission and its result. */
interface OpenCall {
  readonly event: CallEvent;
  readonly scope: CallScope;
  readonly parts: readonly AdmittedPart[];
  /** What the runs of the parts come to, in order. */
  readonly reviewed: readonly Promise<ToolResult>[];
  /** Aborted while hooks review the result and nobody waits for it any more. */
  readonly lent: LentSignal;
  /** The call came to our own MCP server, so the tool runs here, and its result is reviewed before the agent gets it. */
  isClaimed?: true;
}

/** A call of a hook's tool that passed its gates as an event of the agent, and runs here. */
export interface ClaimedCall {
  readonly toolCallId: string;
  /** Runs the tool and has hooks review its result. Throws as the tool, or as a hook that withholds the result. */
  run(tool: AnyTool, options: ToolRunOptions): Promise<ToolResult>;
}

/** How a tool runs here. */
export interface ToolRunOptions {
  readonly frame: EventFrame;
  readonly onUpdate: ToolUpdate;
}

/**
 * The tool calls of a session of another agent. Each passes the path of all tool calls (`gatedTool`); its tool waits for the
 * result that the agent reports, so that changes of hooks are held meanwhile and hooks review the result.
 */
export class GuardedCalls {
  private readonly open = new Map<string, OpenCall[]>();

  constructor(private readonly parts: CallParts) {}

  get hasOpen(): boolean {
    return this.open.size > 0;
  }

  /** Hooks decide about a call. */
  async begin(event: CallEvent, scope: CallScope, frame: EventFrame): Promise<EventOutcome> {
    const lent = new LentSignal();
    return lent.during(frame.signal, async () => {
      const admitted: AdmittedPart[] = [];
      for (const [index, call] of event.calls.entries()) {
        const toolCallId = partId(event, index);
        try {
          admitted.push(await this.admit(toolCallId, call, scope, lent.signal));
        } catch (error) {
          const reason = messageOf(error);
          const by = error instanceof ToolBlocked ? error.by : undefined;
          await this.tellEnd(toolCallId, call, failure(reason), scope);
          return { answer: { deny: reason }, by };
        }
      }
      const asks = frame.agentAsks;
      const isChanged = admitted.some(({ call }, index) => !isDeepStrictEqual(call.input, event.calls[index]?.input));
      if (frame.isUnanswered || (asks !== undefined && isChanged)) return { answer: { deny: NOBODY_ASKED } };
      this.run(event, scope, admitted, lent);
      return {
        answer: {
          ...(asks === undefined ? {} : { ask: asks.text }),
          ...(isChanged ? { input: admitted.map(({ call }) => copyData(call.input)) } : {}),
          ...(frame.text === undefined ? {} : { context: frame.text }),
        },
        by: asks?.hookPath ?? (isChanged ? frame.changedBy.at(-1) : undefined),
      };
    });
  }

  /** Hooks review a result. That of a call which is not open is reviewed, too. */
  async finish(event: ResultEvent, scope: CallScope, frame: EventFrame): Promise<EventOutcome> {
    const call = this.take(event);
    if (call?.isClaimed === true) return { answer: {} };
    const at = call?.scope ?? scope;
    at.frame = frame;
    const original: ToolResult = {
      content: [{ type: 'text', text: event.text }],
      details: event.response,
      isError: event.isError,
    };
    try {
      const reviewed =
        call === undefined
          ? await this.review(event, original, scope, frame)
          : await call.lent.during(frame.signal, () => passOn(call, original));
      const text = textOf(reviewed);
      const isError = reviewed.isError === true;
      const isChanged = text !== event.text || isError !== event.isError;
      return {
        answer: {
          ...(isChanged ? { result: { text, isError } } : {}),
          ...(frame.text === undefined ? {} : { context: frame.text }),
        },
        by: isChanged ? frame.changedBy.at(-1) : undefined,
      };
    } catch (error) {
      return { answer: { result: { text: messageOf(error), isError: true, isWithheld: true } } };
    } finally {
      at.frame = undefined;
    }
  }

  /** Ends the calls in these scopes, of which the agent reports no result any more. Resolves when hooks know it. */
  async end(isOver: (scope: CallScope) => boolean): Promise<void> {
    const calls = [...this.open.values()].flat().filter(({ scope }) => isOver(scope));
    for (const call of calls) {
      this.remove(call);
      if (call.isClaimed === true) call.lent.abort();
    }
    for (const { parts } of calls) for (const { result } of parts) result.resolve(undefined);
    await Promise.allSettled(calls.flatMap(({ reviewed }) => reviewed));
  }

  /**
   * The open call with this tool and these arguments, once: its gates have let exactly this pass, and it is the one that comes to
   * our own MCP server now. `id`: the agent's id of the call, where the client tells it.
   */
  claim(toolName: string, input: Readonly<Record<string, unknown>>, id: string | undefined): ClaimedCall | undefined {
    const open = [...this.open.values()]
      .flat()
      .filter(({ isClaimed, parts }) => isClaimed !== true && parts.length === 1);
    const call = open.find(({ event, parts: [part] }) => {
      const isIt = part?.call.toolName === toolName && isDeepStrictEqual(part.call.input, input);
      return isIt && (id === undefined || id === event.toolCallId);
    });
    const [part] = call?.parts ?? [];
    if (call === undefined || part === undefined) return undefined;
    call.isClaimed = true;
    return { toolCallId: part.toolCallId, run: (tool, options) => this.runClaimed(call, part, tool, options) };
  }

  /** Runs a tool of a hook, after all gates let the call pass. Throws as the tool, or {@link ToolBlocked}. */
  async runTool(
    tool: AnyTool,
    { toolCallId, input }: { readonly toolCallId: string; readonly input: Record<string, unknown> },
    scope: CallScope,
    { frame, onUpdate }: ToolRunOptions,
  ): Promise<ToolResult> {
    const call = { toolName: tool.name, input };
    try {
      const { run } = await this.admit(toolCallId, call, scope, frame.signal, tool);
      if (frame.isUnanswered) throw new ToolBlocked(NOBODY_ASKED);
      const result = await run(onUpdate);
      await this.tellEnd(toolCallId, call, result, scope);
      return result;
    } catch (error) {
      await this.tellEnd(toolCallId, call, failure(messageOf(error)), scope);
      throw error;
    }
  }

  private async runClaimed(
    { scope, reviewed, lent }: OpenCall,
    { toolCallId, call, result }: AdmittedPart,
    tool: AnyTool,
    { frame, onUpdate }: ToolRunOptions,
  ): Promise<ToolResult> {
    return lent.during(frame.signal, async () => {
      scope.frame ??= frame;
      try {
        result.resolve(await tool.execute(toolCallId, call.input, lent.signal, onUpdate));
      } catch (error) {
        result.reject(error);
      }
      try {
        return (await reviewed[0]) ?? failure('The call has no result.');
      } finally {
        if (scope.frame === frame) scope.frame = undefined;
      }
    });
  }

  /** `ownTool`: the tool, where it runs here. */
  private async admit(
    toolCallId: string,
    call: TranslatedCall,
    scope: CallScope,
    signal: AbortSignal,
    ownTool?: AnyTool,
  ): Promise<AdmittedPart> {
    const { hooks, messages, agentName, ownQuestion } = this.parts;
    const { toolName } = call;
    const input = copyData(call.input);
    messages.addCall(toolCallId, toolName, input, scope.agent.name);
    const begun = { type: 'tool_execution_start', toolCallId, toolName, args: input } as const;
    await hooks.runner.emit(begun, scope.conversation, { signal });
    const result = deferred<ToolResult | undefined>();
    const waitForResult = async (): Promise<ToolResult> => {
      const given = await result.promise;
      if (given === undefined) throw new Error(`${agentName} reported no result of this call.`);
      return given;
    };
    const tool = ownTool ?? toolOfAgent(toolName, waitForResult);
    const gated = hooks.gateTool(tool, { conversation: scope.conversation, around: OUTSIDE });
    const run = await gated.admit(toolCallId, input, signal);
    const admitted = { toolName, input };
    await ownQuestion(admitted, toolCallId, scope);
    return { toolCallId, call: admitted, run, result };
  }

  private run(event: CallEvent, scope: CallScope, parts: readonly AdmittedPart[], lent: LentSignal): void {
    const reviewed = parts.map(async ({ toolCallId, call, run }) => {
      try {
        const result = await run();
        await this.tellEnd(toolCallId, call, result, scope);
        return result;
      } catch (error) {
        await this.tellEnd(toolCallId, call, failure(messageOf(error)), scope);
        throw error;
      }
    });
    // Whoever reports the result gets the failure; without one, nobody needs it.
    for (const each of reviewed) each.catch(() => undefined);
    const { toolCallId } = event;
    this.open.set(toolCallId, [...(this.open.get(toolCallId) ?? []), { event, scope, parts, reviewed, lent }]);
  }

  /** The open call of a result: an agent may give several calls the same id. */
  private take({ toolCallId, original }: ResultEvent): OpenCall | undefined {
    const calls = this.open.get(toolCallId) ?? [];
    const call = calls.find(({ event }) => isDeepStrictEqual(event.original, original)) ?? calls[0];
    if (call !== undefined) this.remove(call);
    return call;
  }

  private remove(call: OpenCall): void {
    const { toolCallId } = call.event;
    const others = (this.open.get(toolCallId) ?? []).filter(each => each !== call);
    if (others.length === 0) this.open.delete(toolCallId);
    else this.open.set(toolCallId, others);
  }

  private async review(
    event: ResultEvent,
    original: ToolResult,
    { conversation }: CallScope,
    { signal }: EventFrame,
  ): Promise<ToolResult> {
    const { runner } = this.parts.hooks;
    let result = original;
    for (const [index, { toolName, input }] of event.calls.entries()) {
      const toolCallId = partId(event, index);
      const { content, details, isError = false } = result;
      const reported = { type: 'tool_result', toolCallId, toolName, input, content, details, isError } as const;
      const { isUnreviewed, ...reviewed } = await runner.emit(reported, conversation, { signal });
      if (isUnreviewed === true) throw new Error('The result was withheld, because hooks did not review it in time.');
      result = reviewed;
    }
    return result;
  }

  private async tellEnd(
    toolCallId: string,
    { toolName }: TranslatedCall,
    { content, details, isError = false }: ToolResult,
    { conversation }: CallScope,
  ): Promise<void> {
    this.parts.messages.addResult(toolCallId, toolName, content, isError);
    const result = { content, details };
    await this.parts.hooks.runner.emit(
      { type: 'tool_execution_end', toolCallId, toolName, result, isError },
      conversation,
      {},
    );
  }
}

/** Gives the parts of a call its result, one after the other: each gets it as hooks left it for the one before. */
async function passOn({ parts, reviewed }: OpenCall, original: ToolResult): Promise<ToolResult> {
  let result = original;
  for (const [index, part] of parts.entries()) {
    part.result.resolve(result);
    result = (await reviewed[index]) ?? result;
  }
  return result;
}

/** Hooks tell calls apart by their ids, so each part of an event has its own. */
function partId({ toolCallId, calls }: CallEvent | ResultEvent, index: number): string {
  return calls.length === 1 ? toolCallId : `${toolCallId}:${index + 1}`;
}

function failure(text: string): ToolResult {
  return { content: [{ type: 'text', text }], details: {}, isError: true };
}

function textOf({ content }: ToolResult): string {
  return content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
}
