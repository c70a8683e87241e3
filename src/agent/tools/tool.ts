import type { Tool as ModelTool, ToolCall, Usage } from '@mariozechner/pi-ai';
import type { Static, TSchema } from '@sinclair/typebox';
import type { ContentPart } from '../messages';
import type { CommandKeeper } from './command-keeper';
import type { ToolFacts } from './facts';

export type ConstrainedSamplingConfig = Exclude<ModelTool['constrainedSampling'], false | undefined>;

/** The sampling of tools whose arguments are used as they are: exactly by their schema, if the model can do that. */
export const STRICT_IF_POSSIBLE: ConstrainedSamplingConfig = { type: 'json_schema', strict: 'prefer' };

/** The result of a tool. A tool reports a failure by throwing, or with `isError`, which keeps its details. */
export interface ToolResult<D = unknown> {
  readonly content: ContentPart[];
  readonly details: D;
  readonly isError?: boolean;
  /** The result as data, for hooks and programs that call tools. It is dropped if `content` is replaced. */
  readonly structuredContent?: unknown;
  /** What models used on the way, which counts for the session. */
  readonly usage?: Usage;
  /** The run ends after the calls of this answer when all their results say so and nothing is queued. */
  readonly terminate?: boolean;
}

/** Receives the output so far; a partial result replaces the one before it. */
export type ToolUpdate<D = unknown> = (partial: ToolResult<D>) => void;

/** Where a call comes from, as far as tools need it. `ctx` of hooks has these members, too. */
export interface ToolContext {
  readonly model?:
    { readonly provider: string; readonly id: string; readonly input: readonly string[] } | null | undefined;
  readonly thinkingLevel?: string | undefined;
  readonly sessionManager: {
    getSessionId(): string;
    getSessionFile(): string | null | undefined;
  };
  /** Calls other tools from this call. `ctx` of hooks has it under pi's names. */
  readonly calls?: ToolCaller;
  /** Follows the command that the call runs; absent where nobody does. `ctx` of hooks does not have it. */
  readonly command?: CommandFollower;
  /** Keeps the command that the call runs; absent where a call waits for its command. `ctx` of hooks does not have it. */
  readonly keeper?: CommandKeeper;
}

/** Is told of all output of a command, and then once of its end. */
export interface CommandFollower {
  /** A part of the output, decoded but otherwise as it is. The command waits for the promise, which must not reject. */
  output(chunk: string): Promise<void> | undefined;
  end(end: CommandExit): void;
}

/** How a command ended: with a code, by a signal, or in neither known way. */
export interface CommandExit {
  readonly exitCode: number | null;
  /** As `SIGKILL`. */
  readonly signal: string | null;
}

/** Lets a running tool call other tools. */
export interface ToolCaller {
  /** The tools that it can call. */
  readonly tools: readonly KnownTool[];
  /**
   * Runs a tool like a call of the model: its arguments are checked, all gates are asked, and events and records name
   * the call that makes it. Never rejects: a failure is an outcome with `isError`.
   */
  execute(name: string, args: unknown, options?: CallOptions): Promise<CallOutcome>;
}

export interface CallOptions {
  /** Ends the call. The end of the calling tool ends it, too. */
  readonly signal?: AbortSignal | undefined;
  readonly onUpdate?: ToolUpdate | undefined;
}

/** How a call ended that a tool made. */
export interface CallOutcome {
  readonly toolCall: ToolCall;
  readonly result: ToolResult;
  readonly isError: boolean;
  /** How long the tool ran, in whole ms; absent when it did not. */
  readonly durationMs?: number;
}

/**
 * How a tool is reached (docs/hooks.md): `direct` and `model-only` tools are declared to the model while active,
 * `codemode` and `deferred` ones only after they were activated, `hidden` ones never. Other tools can call active
 * `direct` tools, and all `codemode` and `deferred` ones.
 */
export type ToolExposure = 'direct' | 'model-only' | 'codemode' | 'deferred' | 'hidden';

/**
 * A tool the model can call. `execute` gets arguments that passed `parameters`, must end soon
 * after `signal` fires (throwing `Operation aborted`), and throws an `Error` whose message is what the model reads.
 */
export interface Tool<S extends TSchema = TSchema, D = unknown> extends Partial<ToolFacts> {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: S;
  /** Schema of `structuredContent` in results, for programs that call the tool. */
  readonly outputSchema?: object;
  /** One line for the system prompt's tool list; the description's first sentence when absent. */
  readonly promptSnippet?: string;
  readonly promptGuidelines?: readonly string[];
  /** Brings what the model sent into the form of `parameters`, before it is checked. */
  readonly prepareArguments?: (args: unknown) => unknown;
  /** It works inside the editor, where the files that it saves look like files that the user saves. */
  readonly actsInEditor?: true;
  /** It shows the user a plan, and does nothing else. */
  readonly presentsPlan?: true;
  /** `direct` when absent. */
  readonly exposure?: ToolExposure;
  /** False: it is not declared to the model before it was activated. */
  readonly defaultActive?: boolean;
  /** What lists of tools tell hooks about it, in addition to what the model knows. Absent: it is one of ours. */
  readonly listing?: Readonly<Record<string, unknown>>;
  /** Changes when a server describes its tool differently. Absent for tools that only their code describes. */
  readonly definition?: string;
  /** It is one of our tools although it has a listing, so its own description counts. */
  readonly isOurs?: true;
  /** How a provider makes a model follow `parameters`, if the provider can do that. */
  readonly constrainedSampling?: ConstrainedSamplingConfig;
  /** Asked when other tools become active, while it is itself; never throws. */
  readonly prepareLoadout?: (loadout: ToolLoadout) => LoadoutChanges;
  /** Active, but not declared to the model: another tool describes it. */
  readonly isUndeclared?: true;
  /** `sequential`: an answer that calls it has all its calls run one after the other. */
  readonly executionMode?: 'sequential' | 'parallel';
  execute(
    toolCallId: string,
    params: Static<S>,
    signal: AbortSignal | undefined,
    onUpdate?: ToolUpdate<D>,
    context?: ToolContext,
  ): Promise<ToolResult<D>>;
}

/** The tools of a conversation. */
export interface ToolLoadout {
  /** The active ones. */
  readonly declared: readonly KnownTool[];
  /** The tools that other tools can call. */
  readonly callable: readonly KnownTool[];
  readonly registered: readonly KnownTool[];
}

/** How a tool changes the declarations of the active tools. */
export interface LoadoutChanges {
  /** By name of the tool. */
  readonly descriptions?: ReadonlyMap<string, string>;
  /** See {@link Tool.isUndeclared}. */
  readonly hidden?: ReadonlySet<string>;
}

/** A tool of unknown parameters, as lists of tools hold it. `execute` may only be called with validated arguments. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the one seam where parameter types are erased
export type AnyTool = Tool<any, any>;

/** What is known of a tool. Whoever gets a tool as this cannot run it. */
export type KnownTool = Omit<AnyTool, 'execute'>;

declare const hasGates: unique symbol;

/** A tool whose calls pass all gates. It has no `execute`: a call of it runs only with what its gates returned. */
export interface GatedTool extends KnownTool {
  readonly [hasGates]: true;
  /**
   * Lets a call pass; returns what runs it, once. Throws what the model reads, {@link ToolBlocked} if a gate blocks the
   * call. To be called before any call of the answer runs, in the order of the calls.
   */
  readonly admit: (
    toolCallId: string,
    params: Record<string, unknown>,
    signal: AbortSignal | undefined,
  ) => Promise<AdmittedCall>;
}

/** Runs a call that passed all gates. Throws as `execute` of the tool does, and at a second call. */
export type AdmittedCall = (onUpdate?: ToolUpdate) => Promise<ToolResult>;

/** Declares a tool with its parameter type inferred from the schema. */
export function defineTool<S extends TSchema, D = unknown>(tool: Tool<S, D>): Tool<S, D> {
  return tool;
}

/** Thrown for expected failures whose result carries more than a text (images, details). */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  constructor(
    readonly content: ContentPart[],
    readonly details?: unknown,
    /** See {@link ToolResult}. */
    readonly structuredContent?: unknown,
  ) {
    super(content.map(part => (part.type === 'text' ? part.text : '[image]')).join('\n'));
  }
}

/** In front of what the model reads of a call that Hookline itself did not let run. */
export const OWN_BLOCK = 'Blocked: ';

/**
 * Thrown instead of running a tool, by a gate that blocks it. The model reads the message. The name stays `Error`,
 * because hooks that wrap tools see it.
 */
export class ToolBlocked extends Error {
  /**
   * `by`: absolute path of the hook that decided. Absent: Hookline itself, because a guard is missing. `terminate`: as in {@link
   * ToolResult}.
   */
  constructor(
    readonly reason: string,
    readonly by?: string,
    readonly terminate = false,
  ) {
    super(by === undefined ? `${OWN_BLOCK}${reason}` : reason);
  }
}

/** How a tool call ended. It is decided where it happens and passed on, and never read from the text of a result. */
export type ToolOutcome =
  | { readonly type: 'done' }
  | { readonly type: 'failed' }
  /** The user, or the tool that made the call, stopped it before its end. */
  | { readonly type: 'stopped' }
  /** There is no tool of this name. */
  | { readonly type: 'notFound' }
  /** `reason` is for people; `by` as in {@link ToolBlocked}. */
  | { readonly type: 'blocked'; readonly reason: string; readonly by?: string }
  /** Skipped because the user wrote something first. */
  | { readonly type: 'skipped'; readonly reason: string };

/** The text of an aborted tool call. */
export const ABORTED_TEXT = 'Operation aborted';
