import type { Api, Model } from '@mariozechner/pi-ai';
import type { PromptChanges } from '../agent/prompt/context-files';
import type { ResourceChanges } from '../agent/resources/load';
import type { SessionHeader, StoredEntry } from '../agent/session/entry';
import type { ThinkingLevel } from '../agent/thinking-levels';
import type { HookFactory, HookScope } from './loaded-hook';

/**
 * Opens sessions of an agent for hooks, in this process (docs/hooks.md, "Agents that hooks start"). The hooks that guard the
 * conversation guard the session, and its approvals are the conversation's.
 */
export interface ChildSessions {
  /**
   * An object in the shape of pi's `AgentSession`. It ends with the load whose scope this is, or with the conversation.
   * Rejects when a hook that guards here does not guard there, and opens nothing then.
   */
  open(request: ChildSessionRequest, scope: HookScope | undefined): Promise<object>;
}

/** A factory of a hook in code that runs already. */
export interface InlineHook {
  /** Its path in messages: `<inline:name>`. */
  readonly path: string;
  readonly factory: HookFactory;
}

/** Which tools there are, and which the model gets; as on pi's command line. */
export interface ToolSelection {
  /** Names and patterns of the only tools; or only names with `+` or `-` that change what the settings choose. */
  readonly tools?: readonly string[] | undefined;
  readonly excludedTools: readonly string[];
  /** No tools, or none of our own, except those in `tools`. */
  readonly withoutTools?: 'all' | 'built-in' | undefined;
}

/** Files and folders to read; without `search` nothing else is. Absolute. */
interface PathsToRead {
  readonly paths: readonly string[];
  readonly search: boolean;
}

/** What a hook wants a session to be. */
export interface ChildSessionRequest {
  /** Absolute; the conversation's folder when absent. */
  readonly cwd?: string;
  readonly hooks: {
    /** All that run in the conversation are loaded, and not only its gates. */
    readonly inherits: boolean;
    /** Absolute paths of further ones. */
    readonly paths: readonly string[];
    /** They come before all files, so that gates see what these make of a call. */
    readonly inline: readonly InlineHook[];
  };
  readonly resources: {
    readonly skills: PathsToRead;
    readonly prompts: PathsToRead;
    readonly changes: ResourceChanges;
  };
  readonly prompt: {
    readonly contextFiles: boolean;
    readonly custom?: string;
    readonly append?: string;
    readonly changes: PromptChanges;
  };
  readonly tools: ToolSelection;
  readonly model?: Model<Api>;
  readonly thinkingLevel?: ThinkingLevel;
  /** Gives the session to the agent; called when nothing else can fail. Throws when it cannot be written to. */
  readonly handOver: () => SessionHandover;
  readonly startReason: 'startup' | 'reload' | 'new' | 'resume' | 'fork';
}

/** A session of a hook that an agent continues. */
export interface SessionHandover {
  readonly header: SessionHeader;
  /** In the order of the file. */
  readonly entries: readonly StoredEntry[];
  readonly leafId: string | null;
  /** Absolute; it need not exist yet. Undefined for a session in memory. */
  readonly file: string | undefined;
  /** Absolute; empty for a session in memory. */
  readonly dir: string;
  /** The agent put this entry into the session. */
  follow(entry: StoredEntry): void;
}
