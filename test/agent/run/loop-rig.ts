import { Type } from '@sinclair/typebox';
import { Agent } from '../../../src/agent/run/agent';
import type { AgentEvent } from '../../../src/agent/run/events';
import type { AgentMessage, Message } from '../../../src/agent/messages';
import type { CallOrder } from '../../../src/agent/run/tool-calls';
import { defineTool, type AnyTool, type GatedTool } from '../../../src/agent/tools/tool';
import { behindGate } from '../../support/gated-tool';
import { ScriptedStream, scriptedModel, type Script } from '../../support/scripted-stream';

export const user = (text: string): AgentMessage => ({ role: 'user', content: text, timestamp: 0 });

/** Sends a part of its result before the result. */
export const plainEcho = defineTool({
  name: 'echo',
  label: 'echo',
  description: 'Says what it is told.',
  parameters: Type.Object({ text: Type.String() }),
  execute: (_id, params, _signal, onUpdate) => {
    onUpdate?.({ content: [{ type: 'text', text: 'half' }], details: undefined });
    return Promise.resolve({ content: [{ type: 'text', text: params.text }], details: { n: 1 } });
  },
});

/** {@link plainEcho}, whose calls all pass. */
export const echo = behindGate(plainEcho);

/** A tool without parameters; `gate` rejects to block a call. */
export function tool(name: string, execute: AnyTool['execute'], gate?: () => Promise<void>): GatedTool {
  return behindGate({ name, label: name, description: name, parameters: Type.Object({}), execute }, gate);
}

/** A call in the answer of a scripted model. */
export const call = (
  id: string,
  name: string,
  args: Record<string, unknown> = {},
): { readonly id: string; readonly name: string; readonly args: Record<string, unknown> } => ({ id, name, args });

interface Rig {
  readonly agent: Agent;
  readonly events: AgentEvent[];
  readonly model: ScriptedStream;
}

/** An agent whose model answers by a script; `events` grows as it tells them. */
export function rig(
  script: readonly Script[],
  tools: readonly GatedTool[] = [echo],
  hear?: (event: AgentEvent, agent: Agent) => void | Promise<void>,
  order: CallOrder = 'sideBySide',
): Rig {
  const model = new ScriptedStream(...script);
  const events: AgentEvent[] = [];
  const agent: Agent = new Agent({
    requests: {
      stream: model.stream,
      settings: () => ({ model: scriptedModel, systemPrompt: 'S', tools, options: {} }),
      tools: () => tools,
      toContext: messages => Promise.resolve({ messages: messages as Message[] }),
    },
    handle: async event => {
      events.push(event);
      await hear?.(event, agent);
    },
    steeringMode: () => 'one-at-a-time',
    followUpMode: () => 'one-at-a-time',
    callOrder: () => order,
  });
  return { agent, events, model };
}

/** The types of events in their order; of a message with its role. */
export const types = (events: readonly AgentEvent[]): string =>
  events
    .map(event =>
      'message' in event && event.type !== 'turn_end' ? `${event.type}:${event.message.role}` : event.type,
    )
    .join(' ');

/** What the calls returned, in the order of their ends. */
export const results = (events: readonly AgentEvent[]): { text: string; isError: boolean }[] =>
  events.flatMap(event =>
    event.type === 'tool_execution_end'
      ? [
          {
            text: event.result.content.map(part => (part.type === 'text' ? part.text : '')).join(''),
            isError: event.isError,
          },
        ]
      : [],
  );
