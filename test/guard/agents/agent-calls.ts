import assert from 'node:assert/strict';
import type { GuardedEvent, GuardedEventOf } from '../../../src/guard/agents/agent';
import { contractOf } from '../../../src/guard/agents';
import type { AgentCall, AgentId } from '../../../src/guard/protocol/agent-call';
import { clinePayload } from './cline-payload';

/** The folder in which the agents of these tests work. */
export const CWD = '/work/shop';

/** A call of the client, with the members that the agent's payloads have. */
export function agentCall(
  agent: AgentId,
  event: string,
  members: Readonly<Record<string, unknown>> = {},
  variables: Readonly<Record<string, string>> = {},
): AgentCall {
  const common = { session_id: 's1', cwd: CWD, hook_event_name: event };
  const own = agent === 'copilot' ? { timestamp: '2026-11-30T00:15:19.699Z' } : { transcript_path: '/home/me/t.jsonl' };
  const payload = JSON.stringify(agent === 'cline' ? clinePayload(event, members) : { ...common, ...own, ...members });
  return { agent, event, payload, parentPid: 0, cwd: CWD, variables: { ...variables } };
}

/** What the agent's contract reads from it. */
export function readCall(...call: Parameters<typeof agentCall>): GuardedEvent {
  return contractOf(call[0]).read(agentCall(...call));
}

/** The agent's own name of the events that Claude Code names so. */
export function eventName(agent: AgentId, claudes: string): string {
  return NAMES_OF_EVENTS[agent]?.[claudes] ?? claudes;
}

const GEMINI_NAMES: Readonly<Record<string, string>> = {
  UserPromptSubmit: 'BeforeAgent',
  PreToolUse: 'BeforeTool',
  PostToolUse: 'AfterTool',
  Stop: 'AfterAgent',
  PreCompact: 'PreCompress',
};

const CURSOR_NAMES: Readonly<Record<string, string>> = {
  SessionStart: 'sessionStart',
  UserPromptSubmit: 'beforeSubmitPrompt',
  PreToolUse: 'preToolUse',
  PostToolUse: 'postToolUse',
  PostToolUseFailure: 'postToolUseFailure',
  Stop: 'stop',
  SubagentStop: 'subagentStop',
  PreCompact: 'preCompact',
  SessionEnd: 'sessionEnd',
};

const NAMES_OF_EVENTS: Readonly<Partial<Record<AgentId, Readonly<Record<string, string>>>>> = {
  gemini: GEMINI_NAMES,
  cursor: CURSOR_NAMES,
};

/** Agents whose calls have no id. */
const WITHOUT_IDS: ReadonlySet<AgentId> = new Set(['copilot', 'gemini']);

/** A tool call, as the contract reads it. */
export function toolCall(agent: AgentId, tool_name: string, tool_input: object): GuardedEventOf<'tool_call'> {
  const id = WITHOUT_IDS.has(agent) ? {} : { tool_use_id: 'call_1' };
  const event = readCall(agent, eventName(agent, 'PreToolUse'), { tool_name, tool_input, ...id });
  assert.equal(event.type, 'tool_call');
  return event;
}

/** A result, as the contract reads it. */
export function toolResult(
  agent: AgentId,
  tool_name: string,
  members: Readonly<Record<string, unknown>>,
): GuardedEventOf<'tool_result'> {
  const name = 'error' in members ? 'PostToolUseFailure' : 'PostToolUse';
  const event = readCall(agent, eventName(agent, name), { tool_name, tool_input: {}, ...members });
  assert.equal(event.type, 'tool_result');
  return event;
}

/** The members of a written answer; undefined for no decision. */
export function answered(output: string): Record<string, unknown> | undefined {
  return output === '' ? undefined : (JSON.parse(output) as Record<string, unknown>);
}
