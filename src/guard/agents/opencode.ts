import { defined } from '../../base/defined';
import { AGENT_NAMES, type AgentId } from '../protocol/agent-call';
import type { AgentContract, GuardedEventOf, TranslatedCall } from './agent';
import {
  addedText,
  type AnswerObject,
  AnswerParts,
  type AnswerWriter,
  contextOf,
  forEvent,
  joined,
  refusalText,
  writeAnswer,
} from './answers';
import { changedCall, changedInput } from './changed-input';
import { parsePatch } from './patch';
import { changedPatch, patchCalls } from './patch-calls';
import {
  COMMON_EVENTS,
  partsText,
  parsePayload,
  readEvent,
  textIn,
  type Payload,
  type PayloadReader,
  type ReadResult,
} from './payload';
import { translateCall } from './tool-calls';

const NAMINGS = ['opencode'] as const;

/** The events that our plugin in the agent tells, with the names of Claude Code (`../config/formats/opencode-plugin.ts`). */
const EVENTS = [...COMMON_EVENTS, { name: 'PostToolUseFailure', type: 'tool_result', gates: false }] as const;

/** What the agent's tools are named that have an underscore: none of them is of an MCP server. */
const NO_MCP: ReadonlySet<string> = new Set([
  ...['apply_patch', 'plan_enter', 'plan_exit'],
  ...['list_mcp_resources', 'list_mcp_resource_templates', 'read_mcp_resource'],
]);

const TYPES: PayloadReader['types'] = new Map(EVENTS.map(({ name, type }) => [name, type]));

function callsOf(
  { name, input }: { name: string; input: Payload },
  payload: Payload,
  cwd: string,
): readonly TranslatedCall[] {
  const files = name === 'apply_patch' ? parsePatch(textIn(input, 'patchText') ?? '') : undefined;
  if (files !== undefined) return patchCalls(files, cwd);
  return translateCall({ name: claudesName(name, payload['mcp_servers']), input }, { namings: NAMINGS, cwd });
}

/** The agent joins the names of an MCP server and its tool by `_`, which both may have: the longest server that fits is meant. */
function claudesName(name: string, servers: unknown): string {
  if (NO_MCP.has(name) || !Array.isArray(servers)) return name;
  const fitting = servers
    .map(server => String(server).replace(/[^\w-]/g, '_'))
    .filter(server => name.startsWith(`${server}_`))
    .sort((one, other) => other.length - one.length);
  const [server] = fitting;
  return server === undefined ? name : `mcp__${server}__${name.slice(server.length + 1)}`;
}

/** Of a tool that failed, the plugin gets only the error. */
function resultOf({ tool_response: response, error }: Payload): ReadResult {
  if (response === undefined) return { text: typeof error === 'string' ? error : '', isError: true, response: error };
  const text = typeof response === 'string' ? response : (partsText(response) ?? '');
  return { text, isError: false, response };
}

const WRITER: AnswerWriter = {
  refusal(eventName, reason) {
    switch (eventName) {
      case 'PreToolUse':
        return forEvent(eventName, { permissionDecision: 'deny', permissionDecisionReason: reason });
      case 'PostToolUse':
      case 'UserPromptSubmit':
      case 'PreCompact':
        return { decision: 'block', reason };
      default:
        return undefined;
    }
  },
  call: (event, parts) => forEvent(event.name, defined({ updatedInput: newInput(event, parts) })),
  result: writeResult,
  context: contextOf,
};

function newInput(event: GuardedEventOf<'tool_call'>, parts: AnswerParts): Record<string, unknown> | undefined {
  const { original, cwd } = event;
  const inputs = parts.take('input');
  const files = original.name === 'apply_patch' ? parsePatch(textIn(original.input, 'patchText') ?? '') : undefined;
  if (files === undefined) return changedInput(event, inputs, NAMINGS);
  const change = changedCall(event, inputs);
  return change === undefined ? undefined : { ...original.input, patchText: changedPatch(files, change, cwd) };
}

function writeResult(event: GuardedEventOf<'tool_result'>, parts: AnswerParts): AnswerObject {
  if (event.name === 'PostToolUseFailure') return {}; // The plugin does not wait for the answer.
  const context = parts.take('context');
  const result = parts.take('result');
  const added = result === undefined ? undefined : addedText(event, result);
  if (result === undefined || added !== undefined) return contextOf(event, joined(added, context));
  return forEvent(event.name, { updatedToolOutput: result.text, ...defined({ additionalContext: context }) });
}

/**
 * opencode, or a program made from it. It calls no commands but loads our plugin, which tells events and takes answers as Claude
 * Code does, and throws a refusal. It cannot ask its user with the text of a hook, and does not wait for hooks when it stops.
 */
function openCodeContract(id: AgentId, about: Pick<AgentContract, 'testedVersion' | 'package'>): AgentContract {
  const reader: PayloadReader = {
    agentName: AGENT_NAMES[id],
    types: TYPES,
    base: () => ({ agent: id }),
    callsOf,
    resultOf,
  };
  return {
    id,
    name: AGENT_NAMES[id],
    ...about,
    asks: false,
    events: EVENTS,
    read: call => readEvent(parsePayload(call, reader.agentName), call, reader),
    write(event, answer) {
      const isOver = event.type === 'stop' || event.type === 'subagent_stop';
      return isOver
        ? { output: '', unsupported: new AnswerParts(answer).unsupported }
        : writeAnswer(event, answer, WRITER);
    },
    refuse: (eventName, reason) => refusalText(WRITER, eventName, reason),
  };
}

export const OPENCODE = openCodeContract('opencode', { testedVersion: '1.18.33', package: 'opencode-ai' });

export const KILO = openCodeContract('kilo', { testedVersion: '7.7.9', package: '@kilocode/cli' });
