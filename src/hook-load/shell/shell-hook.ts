import type { Naming } from './tool-names';

/** The module that the adapter of shell hooks imports. It belongs to Hookline; no such package exists. */
export const SHELL_HOOKS = '@hookline/shell-hooks';

/** The events of shell hooks, with Claude Code's names; GitHub has other names for the same events. */
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
  /** Undefined if the hook runs for every tool or reason. */
  readonly matcher: RegExp | undefined;
  readonly command: string;
  readonly shell: 'sh' | 'bash' | 'powershell';
  /** As written; a relative path starts at the workspace folder. Undefined: the workspace folder. */
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** A setting in a settings file that is not supported here, or works differently. */
export interface ShellProblem {
  readonly message: string;
  readonly severity: 'error' | 'warning' | 'info';
  /** The members and indexes that lead to the setting. */
  readonly path: readonly (string | number)[];
}

export interface ShellSettings {
  readonly hooks: readonly ShellHook[];
  readonly problems: readonly ShellProblem[];
}

/** The surroundings for which a settings file is read. */
export interface ShellSurroundings {
  readonly platform: NodeJS.Platform;
  /** Names of all tools; undefined if they are not known, so that matchers are not checked. */
  readonly tools?: readonly string[];
}
