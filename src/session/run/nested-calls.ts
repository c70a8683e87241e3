import type { JsonObject, ToolCall } from '@mariozechner/pi-ai';
import type { AgentEvent } from '../../agent/run/events';
import { NestedRecorder, type NestedRecord } from '../../agent/run/nested-record';
import { runToolCalls, type CallOrder } from '../../agent/run/tool-calls';
import type { CallOptions, CallOutcome, GatedTool, KnownTool, ToolCaller } from '../../agent/tools/tool';
import { defined } from '../../base/defined';
import { Emitter } from '../../base/event';
import { anySignal, deferred } from '../../base/async/wait';

export interface NestedCallsParts {
  /** How calls run now. */
  readonly order: () => CallOrder;
  /** The tools that other tools can call. */
  readonly callable: () => readonly KnownTool[];
  /** One of them, for a call from here; undefined: there is none of this name. */
  readonly gated: (name: string, origin: CallOrigin) => GatedTool | undefined;
}

/** Where a nested call comes from. */
export interface CallOrigin {
  readonly parentToolCallId: string;
  /** The call of the model at the top. */
  readonly root: RootCall;
  /** It runs while all other calls that take turns wait; so do the calls that it makes. */
  readonly hasTurn: boolean;
}

interface RootCall {
  readonly toolCallId: string;
  readonly recorder: NestedRecorder;
}

type End = Extract<AgentEvent, { readonly type: 'tool_execution_end' }>;

/**
 * The calls that tools make while they run. Each passes the same gates as a call of the model. The model does not see
 * them; the session records them in the result message of the model's call.
 */
export class NestedCallRunner {
  private readonly emitter = new Emitter<AgentEvent>();
  /** Steps of nested calls, which are emitted and drawn like those of other calls. */
  readonly onDidHappen = this.emitter.event;
  /** By the id of the model's call, until {@link take}. */
  private readonly recorders = new Map<string, NestedRecorder>();
  /** Settles when all calls so far that take turns are over. */
  private turns: Promise<void> = Promise.resolve();

  constructor(private readonly parts: NestedCallsParts) {}

  /** Begins a call that may make others, until `end`. `origin`: where the call itself comes from, if a tool made it. */
  begin(
    toolCallId: string,
    signal: AbortSignal | undefined,
    origin?: CallOrigin,
  ): { readonly rootId: string; readonly calls: ToolCaller; readonly end: () => void } {
    const root = origin?.root ?? { toolCallId, recorder: new NestedRecorder() };
    const { callable } = this.parts;
    let made = 0;
    let isOver = false;
    const execute: ToolCaller['execute'] = (name, args, options = {}) => {
      const call = { type: 'toolCall', id: `${toolCallId}/${++made}`, name, arguments: args as JsonObject } as const;
      if (isOver) return Promise.resolve(refused(call, 'The call that requested this one has ended.'));
      if (origin === undefined) this.recorders.set(toolCallId, root.recorder);
      const { signal: own, onUpdate } = options;
      const ending = anySignal(signal, own);
      return this.run(
        call,
        { parentToolCallId: toolCallId, root, hasTurn: origin?.hasTurn ?? false },
        { signal: ending, onUpdate },
      );
    };
    const calls = {
      get tools() {
        return callable();
      },
      execute,
    };
    return { rootId: root.toolCallId, calls, end: () => (isOver = true) };
  }

  /** Returns the record of the calls below a call of the model and forgets it. */
  take(toolCallId: string): NestedRecord | undefined {
    const recorder = this.recorders.get(toolCallId);
    this.recorders.delete(toolCallId);
    return recorder?.record;
  }

  private async run(call: ToolCall, caller: CallOrigin, { signal, onUpdate }: CallOptions): Promise<CallOutcome> {
    const { parentToolCallId, root } = caller;
    const tool = this.parts.callable().find(({ name }) => name === call.name);
    const inTurn = !caller.hasTurn && (this.parts.order() === 'oneByOne' || tool?.executionMode === 'sequential');
    const origin = { ...caller, hasTurn: caller.hasTurn || inTurn };
    const gated = this.parts.gated(call.name, origin);
    const record = root.recorder.begin(call);
    const steps = runToolCalls({
      calls: [call],
      tools: gated === undefined ? [] : [gated],
      signal: signal ?? new AbortController().signal,
      order: 'oneByOne',
      parentToolCallId,
    });
    let end: End | undefined;
    let giveTurn: (() => void) | undefined;
    try {
      for await (const step of steps) {
        if ('role' in step) continue;
        this.emitter.fire(step);
        if (step.type === 'tool_execution_start' && inTurn) giveTurn = await this.takeTurn();
        if (step.type === 'tool_execution_update') onUpdate?.(step.partialResult);
        if (step.type === 'tool_execution_end') end = step;
      }
    } finally {
      giveTurn?.();
    }
    const outcome = end === undefined ? refused(call, 'The call did not end.') : outcomeOf(call, end);
    record({ usage: outcome.result.usage, ...(outcome.isError ? { error: outcomeText(outcome) } : {}) });
    return outcome;
  }

  private async takeTurn(): Promise<() => void> {
    const before = this.turns;
    const turn = deferred();
    this.turns = turn.promise;
    await before;
    return () => turn.resolve();
  }
}

function outcomeOf(toolCall: ToolCall, { result, isError, durationMs }: End): CallOutcome {
  return { toolCall, result, isError, ...defined({ durationMs }) };
}

function refused(toolCall: ToolCall, text: string): CallOutcome {
  return { toolCall, result: { content: [{ type: 'text', text }], details: {} }, isError: true };
}

function outcomeText({ result: { content } }: CallOutcome): string {
  return content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
}
