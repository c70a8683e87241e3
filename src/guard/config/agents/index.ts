import type { AgentId } from '../../protocol/agent-call';
import type { AgentSetup } from './agent-setup';
import { CLAUDE_SETUP } from './claude-setup';
import { CLINE_SETUP } from './cline-setup';
import { CODEX_SETUP } from './codex-setup';
import { COPILOT_SETUP } from './copilot-setup';
import { CURSOR_SETUP } from './cursor-setup';
import { DROID_SETUP } from './droid-setup';
import { GEMINI_SETUP } from './gemini-setup';
import { QWEN_SETUP } from './qwen-setup';
import { KILO_SETUP, OPENCODE_SETUP } from './opencode-setup';

const SETUPS: { readonly [I in AgentId]: AgentSetup } = {
  claude: CLAUDE_SETUP,
  copilot: COPILOT_SETUP,
  codex: CODEX_SETUP,
  droid: DROID_SETUP,
  gemini: GEMINI_SETUP,
  qwen: QWEN_SETUP,
  cline: CLINE_SETUP,
  opencode: OPENCODE_SETUP,
  kilo: KILO_SETUP,
  cursor: CURSOR_SETUP,
};

export function setupOf(id: AgentId): AgentSetup {
  return SETUPS[id];
}

export const ALL_SETUPS: readonly AgentSetup[] = Object.values(SETUPS);
