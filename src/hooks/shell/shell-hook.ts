import type { Naming } from './tool-names';

/** What a shell hook may wait for, in Claude Code's words; GitHub's mean the same under other names. */
export type ShellEvent =
  | 'PreToolUse'
  | 'PostToolUse'
  | 'UserPromptSubmit'
  | 'SessionStart'
  | 'SessionEnd'
  | 'Stop'
  | 'PreCompact'
  | 'Notification'
  | 'ErrorOccurred';

/** One command of a settings file. */
export interface ShellHook {
  readonly event: ShellEvent;
  readonly naming: Naming;
  /** Undefined: every tool, every reason. */
  readonly matcher: RegExp | undefined;
  readonly command: string;
  readonly shell: 'sh' | 'bash' | 'powershell';
  /** As written: relative to the workspace folder. */
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** ms. */
  readonly timeoutMs: number;
}

/** Something in a settings file that is not honoured, or not as there. */
export interface ShellProblem {
  readonly message: string;
  readonly severity: 'error' | 'warning' | 'info';
  /** Members and indexes that lead to it. */
  readonly path: readonly (string | number)[];
}

export interface ShellSettings {
  readonly hooks: readonly ShellHook[];
  readonly problems: readonly ShellProblem[];
}

/** What a file is read for. */
export interface ShellSurroundings {
  readonly platform: NodeJS.Platform;
  /** Names of the tools that there are; undefined: not known, so no matcher is held against them. */
  readonly tools?: readonly string[];
}
