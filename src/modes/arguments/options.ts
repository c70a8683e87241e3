import type { ApprovalMode } from '../../hook-contract/approvals/approval-mode';
import type { ThinkingLevel } from '../../agent/thinking-levels';
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../protocol';

export type CliMode = 'text' | 'json' | 'rpc' | 'acp';

/** A hook file that the command line names, with the flag that names it. */
export interface NamedHook {
  readonly path: string;
  readonly flag: '--hook' | '--extension';
}

/** The parsed command line; nothing is looked up yet. Paths may be relative. */
export interface CliOptions {
  readonly help: boolean;
  readonly version: boolean;
  readonly verbose: boolean;
  readonly offline: boolean;
  /** Whether the user logs in to a provider. If true, nothing else is done. */
  readonly login: boolean;
  readonly mode: CliMode;
  /** The version of the protocol in JSON and RPC mode. */
  readonly rpcVersion: ProtocolVersion;
  /** Whether RPC mode sends the components of hooks as lines. */
  readonly rpcRendered: boolean;
  /** Whether `-p` was given. */
  readonly print: boolean;
  /** Prompts, in order. */
  readonly messages: readonly string[];
  /** Files named as `@path`. */
  readonly files: readonly string[];
  readonly provider?: string;
  readonly model?: string;
  /** Patterns of the models to cycle through. */
  readonly models?: readonly string[];
  readonly thinking?: ThinkingLevel;
  readonly apiKey?: string;
  /** The search of `--list-models`; an empty text lists all. If present, nothing else is done. */
  readonly listModels?: string;
  /** Each a text or the path of a file. */
  readonly systemPrompt?: string;
  readonly appendSystemPrompt: readonly string[];
  readonly noSession: boolean;
  /** Path of a session file, or the beginning of a session's id. */
  readonly session?: string;
  /** Id of the session of this folder to continue, or to begin. */
  readonly sessionId?: string;
  /** Path of a session file, or the beginning of a session's id, to copy into this folder. */
  readonly fork?: string;
  readonly sessionDir?: string;
  readonly continueLatest: boolean;
  /** Whether the user chooses a session from a list. */
  readonly resume: boolean;
  /** Name of the session. */
  readonly name?: string;
  /** Path of a session file, or the beginning of a session's id, to export. If present, nothing else is done. */
  readonly export?: string;
  readonly hooks: readonly NamedHook[];
  /** Sources of packages to use for this run only, as written. */
  readonly packages: readonly string[];
  /** False with `--no-hooks`: only named hooks are loaded. */
  readonly searchHooks: boolean;
  /** False with `--no-mcp`: no MCP server is started. */
  readonly mcp: boolean;
  /** Files and folders. */
  readonly skills: readonly string[];
  /** False with `--no-skills`: only named ones are read. */
  readonly searchSkills: boolean;
  readonly promptTemplates: readonly string[];
  readonly searchPromptTemplates: boolean;
  /** False with `--no-context-files`. */
  readonly contextFiles: boolean;
  /** `all` with `--no-tools`, `built-in` with `--no-builtin-tools`. */
  readonly withoutTools?: 'all' | 'built-in';
  /** Names and patterns, or only `+name` and `-name`. */
  readonly tools?: readonly string[];
  /** Names and patterns. */
  readonly excludedTools: readonly string[];
  /** `--approve-packages`. */
  readonly approvePackages: boolean;
  /** Who decides about tool calls. */
  readonly approveTools: ApprovalMode;
  /** Patterns of files that tools may write although programs run code from there; as written. */
  readonly allowedPaths: readonly string[];
  /** What `--approve` (true) or `--no-approve` decides about the folder. */
  readonly approve?: boolean;
  /** Values of flags that hooks registered. */
  readonly hookFlags: ReadonlyMap<string, boolean | string>;
  /** Flags that are neither ours nor registered by a hook, as written. */
  readonly unknown: readonly string[];
  /** Messages for the user about parts of the command line that have no effect. */
  readonly warnings: readonly string[];
}

/** What was read so far; the default of some options depends on others. */
type Undecided = Omit<CliOptions, 'approveTools'> & Partial<Pick<CliOptions, 'approveTools'>>;

/** Options while they are read. */
export type OptionsDraft = {
  -readonly [K in keyof Undecided]: Undecided[K] extends readonly (infer T)[] ? T[] : Undecided[K];
};

export function emptyOptions(): OptionsDraft {
  return {
    help: false,
    version: false,
    verbose: false,
    offline: false,
    login: false,
    mode: 'text',
    rpcVersion: PROTOCOL_VERSIONS[0],
    rpcRendered: false,
    print: false,
    messages: [],
    files: [],
    appendSystemPrompt: [],
    noSession: false,
    approvePackages: false,
    continueLatest: false,
    resume: false,
    hooks: [],
    packages: [],
    searchHooks: true,
    mcp: true,
    skills: [],
    searchSkills: true,
    promptTemplates: [],
    searchPromptTemplates: true,
    contextFiles: true,
    excludedTools: [],
    allowedPaths: [],
    hookFlags: new Map(),
    unknown: [],
    warnings: [],
  };
}
