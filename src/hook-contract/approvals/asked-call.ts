import type { FileTarget } from '../../agent/tools/files/file-target';

/** What calls of a tool can do. */
export const TOOL_KINDS = [
  /** It changes nothing. */
  'reads',
  /** It changes the file that it names. */
  'writes',
  'executes',
  /** It shows a plan to the user, and does nothing else. */
  'plans',
  /** A tool of VS Code, which itself asks the user if the tool requires it. */
  'editor',
  /** A tool of a hook, a package or a server: it may do anything. */
  'foreign',
] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

/**
 * What approvals need to know of a call before it runs. It is plain data, so that it can be sent to another process.
 */
export interface AskedCall {
  readonly toolName: string;
  readonly kind: ToolKind;
  readonly input: Readonly<Record<string, unknown>>;
  /** The folder in which the agent works, absolute. */
  readonly cwd: string;
  /** See `Tool`. */
  readonly definition?: string;
}

/** The kind of place where a file is. */
export type PathPlace =
  | 'workspace'
  /** Files that git, the editor, shells, or the agent and its hooks run as code. */
  | 'code'
  /** Files in the workspace that build tools, package managers and other programs run later (`build-places.ts`). */
  | 'build'
  /** A folder for temporary files. */
  | 'temporary'
  | 'outside'
  /** It is not known where the path leads. */
  | 'unclear';

/** What is known about a call: its data, and what its command or file means on this machine. */
export interface CallDetails extends AskedCall {
  readonly command?: { readonly line: string; readonly isPosix: boolean };
  readonly file?: {
    /** Real path; the given path where the real path is not known. */
    readonly real: string;
    readonly place: PathPlace;
    readonly use: 'read' | 'write';
    /** Hookline runs the file as a hook. */
    readonly isHook?: boolean;
    /** What is at the real path; absent where that is not known. */
    readonly target?: FileTarget;
  };
}
