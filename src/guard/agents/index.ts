import type { AgentId } from '../protocol/agent-call';
import type { AgentContract } from './agent';
import { CLAUDE } from './claude';
import { CLINE } from './cline';
import { CODEX } from './codex';
import { COPILOT } from './copilot';
import { CURSOR_AGENT } from './cursor';
import { DROID } from './droid';
import { GEMINI } from './gemini';
import { KILO, OPENCODE } from './opencode';
import { QWEN } from './qwen';

/** The contracts of all agents that can be guarded, in the order in which they are shown. */
export const CONTRACTS: readonly AgentContract[] = [
  ...[CLAUDE, COPILOT, CODEX, GEMINI, QWEN],
  ...[DROID, CLINE, OPENCODE, KILO, CURSOR_AGENT],
];

const BY_ID: { readonly [I in AgentId]: AgentContract } = {
  claude: CLAUDE,
  copilot: COPILOT,
  codex: CODEX,
  droid: DROID,
  gemini: GEMINI,
  qwen: QWEN,
  cline: CLINE,
  opencode: OPENCODE,
  kilo: KILO,
  cursor: CURSOR_AGENT,
};

export function contractOf(id: AgentId): AgentContract {
  return BY_ID[id];
}
