import { Type, type Static } from '@sinclair/typebox';
import { literalUnion } from '../../base/json/schema';

/** The coding agents of others that can be guarded. */
export const AGENT_IDS = [
  ...(['claude', 'copilot', 'codex', 'gemini', 'qwen'] as const),
  ...(['droid', 'cline', 'opencode', 'kilo', 'cursor'] as const),
] as const;
export type AgentId = (typeof AGENT_IDS)[number];

/** The agents as users know them. */
export const AGENT_NAMES: Readonly<Record<AgentId, string>> = {
  claude: 'Claude Code',
  copilot: 'Copilot',
  codex: 'Codex',
  droid: 'Factory Droid',
  gemini: 'Gemini CLI',
  qwen: 'Qwen Code',
  cline: 'Cline',
  opencode: 'opencode',
  kilo: 'Kilo CLI',
  cursor: 'Cursor',
};

/** Stands for the agent in records of calls by an MCP client that is none of {@link AGENT_IDS}. */
export const MCP_CLIENT = 'mcp';
/** The event in records of calls that came to our MCP server, and that no event of an agent came before. */
export const TOOL_EVENT = 'tools/call';

/** The name of an agent that a record names; that of an agent which this version does not know is its id. */
export function agentName(id: string): string {
  if (id === MCP_CLIENT) return 'MCP client';
  return Object.hasOwn(AGENT_NAMES, id) ? AGENT_NAMES[id as AgentId] : id;
}

const Text = Type.String();

/** How the built-in gate guards an agent: `off`: not at all, since the agent has approvals of its own. */
export const GUARD_GATES = ['off', 'ask', 'edits', 'auto'] as const;
export type GuardGate = (typeof GUARD_GATES)[number];

/** A call of a hook by an agent, as the client passes it on: nothing of it is read yet. */
export const AgentCallSchema = Type.Object({
  agent: literalUnion(...AGENT_IDS),
  /** Name of the event, as the agent's configuration gives it to the client. */
  event: Text,
  /** What the agent wrote on the client's stdin. */
  payload: Text,
  /** The process that started the client; 0 where it is not known. */
  parentPid: Type.Number(),
  /** Working folder of the client, absolute. */
  cwd: Text,
  /** Values of variables that the agent sets for hooks, by name; empty ones are left out. */
  variables: Type.Record(Text, Text),
});
export type AgentCall = Readonly<Static<typeof AgentCallSchema>>;

/** What became of a call of a hook, as a line of the guard log. */
export const GuardRecordSchema = Type.Object({
  /** ms since 1970 */
  at: Type.Number(),
  agent: literalUnion(...AGENT_IDS, MCP_CLIENT),
  version: Type.Optional(Text),
  session: Text,
  subagent: Type.Optional(Text),
  /** The folder whose hooks looked, absolute. */
  folder: Text,
  /** Name of the event of the agent. */
  event: Text,
  /** pi's name of the tool. */
  tool: Type.Optional(Text),
  toolCallId: Type.Optional(Text),
  /** The call in a few words: the command, or the path. Without secrets. */
  summary: Type.Optional(Text),
  /** `passed`: no hook decided. `asks`: the agent asks its user, because nobody else could be asked. */
  verdict: literalUnion('passed', 'blocked', 'changed', 'asks'),
  /** Absolute path of the hook that decided, or of the source of the built-in gate; absent where none did. */
  hook: Type.Optional(Text),
  reason: Type.Optional(Text),
  /** Absolute path of a file by which agents are guarded: a call changed it, and it was put back. */
  undone: Type.Optional(Text),
  /** Duration in ms, and how much of it a person was waited for. */
  ms: Type.Number(),
  askedMs: Type.Number(),
});
export type GuardRecord = Readonly<Static<typeof GuardRecordSchema>>;

/** The answer to a call: the text that the client prints, empty for none, and lines for the guard log. */
export const AgentReplySchema = Type.Object({
  output: Text,
  records: Type.Array(GuardRecordSchema),
});
export type AgentReply = Readonly<Static<typeof AgentReplySchema>>;
