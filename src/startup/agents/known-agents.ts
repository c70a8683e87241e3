/** How the processes below an agent are recognized (docs/cli.md, "Commands that agents cannot run"). */
export interface KnownAgent {
  /** As users know it; begins a sentence. */
  readonly name: string;
  /**
   * Variables that the agent sets for what it starts, and that people do not set; `*` at the end stands for any letters.
   * Their values do not matter, but are not empty.
   */
  readonly marks: readonly string[];
  /** Names of its program, as an executable, or as a script of an interpreter that is not a shell. */
  readonly programs: readonly string[];
  /** npm packages whose scripts are the agent. */
  readonly packages: readonly string[];
}

/**
 * All agents that are recognized. Never here: what people set (keys, `CODEX_HOME`), and what editors set in the terminals
 * of people (`CLAUDE_CODE_SSE_PORT`, `GEMINI_CLI_IDE_SERVER_PORT`, `CURSOR_TRACE_ID`).
 */
export const KNOWN_AGENTS: readonly KnownAgent[] = [
  {
    name: 'Hookline or pi',
    marks: ['HOOKLINE_CALL_*', 'PI_CODING_AGENT'],
    programs: ['pi'],
    packages: ['@earendil-works/pi-coding-agent', '@mariozechner/pi-coding-agent', '@oh-my-pi/pi-coding-agent'],
  },
  {
    name: 'Claude Code',
    marks: ['CLAUDECODE', 'CLAUDE_CODE_CHILD_SESSION'],
    programs: ['claude'],
    packages: ['@anthropic-ai/claude-code'],
  },
  {
    name: 'Codex',
    marks: ['CODEX_THREAD_ID', 'CODEX_SESSION_ID', 'CODEX_TOOL_CALL_ID', 'CODEX_CI', 'CODEX_SANDBOX*'],
    programs: ['codex'],
    packages: ['@openai/codex'],
  },
  {
    name: 'Copilot CLI',
    marks: ['COPILOT_CLI', 'COPILOT_AGENT_SESSION_ID'],
    programs: ['copilot'],
    packages: ['@github/copilot'],
  },
  { name: 'Gemini CLI', marks: ['GEMINI_CLI'], programs: ['gemini'], packages: ['@google/gemini-cli'] },
  { name: 'Qwen Code', marks: ['QWEN_CODE'], programs: ['qwen'], packages: ['@qwen-code/qwen-code'] },
  { name: 'Kilo', marks: ['KILO_PID'], programs: ['kilo'], packages: ['@kilocode/cli'] },
  { name: 'opencode', marks: ['OPENCODE', 'OPENCODE_PID'], programs: ['opencode'], packages: ['opencode-ai'] },
  { name: 'droid', marks: [], programs: ['droid'], packages: ['droid'] },
  { name: 'Cline', marks: ['CLINE_ACTIVE'], programs: ['cline'], packages: ['cline'] },
  { name: 'Amp', marks: ['AMP_CURRENT_THREAD_ID'], programs: ['amp'], packages: ['@sourcegraph/amp'] },
  { name: 'Cursor', marks: ['CURSOR_AGENT'], programs: ['cursor-agent'], packages: [] },
  { name: 'Antigravity', marks: ['ANTIGRAVITY_AGENT'], programs: [], packages: [] },
  { name: 'Auggie', marks: ['AUGMENT_AGENT'], programs: ['auggie'], packages: ['@augmentcode/auggie'] },
  { name: 'Crush', marks: ['CRUSH'], programs: ['crush'], packages: [] },
  { name: 'Aider', marks: [], programs: ['aider'], packages: [] },
  // Several agents set it, also VS Code's, so it names none.
  { name: 'An agent', marks: ['AI_AGENT'], programs: [], packages: [] },
];
