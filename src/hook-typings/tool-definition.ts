import type { Usage } from '@mariozechner/pi-ai';
import type { Component } from '@mariozechner/pi-tui';
import type { TSchema as LegacySchema } from '@sinclair/typebox';
import type { TSchema } from 'typebox';
import type { ExtensionContext } from './context';
import type { ContentPart } from './messages';
import type { Theme } from './ui';

/** A schema made with `@sinclair/typebox`, `typebox`, or pi-ai's `Type` and `StringEnum`. */
export type AnySchema = LegacySchema | TSchema;

/** What a tool gives back. Failure is told by throwing an `Error`, whose message the model reads, or with `isError`. */
export interface AgentToolResult<D = unknown> {
  /** What the model reads. */
  content: ContentPart[];
  /** For `renderResult` and for other hooks; never sent to the model. */
  details: D;
  /** `true`: the tool failed; unlike an `Error` it keeps the details. */
  isError?: boolean;
  /** The result as data, for programs that call the tool. */
  structuredContent?: unknown;
  /** What models used while the tool ran; counted for the session. */
  usage?: Usage;
  /** Ends the run after this answer's calls, when all their results say so and nothing is queued. */
  terminate?: boolean;
}

/**
 * How a tool is reached: `direct` and `model-only` tools are declared to the model while active, `codemode` and `deferred`
 * ones only when `pi.setActiveTools` names them, `hidden` ones never.
 */
export type ToolExposure = 'direct' | 'model-only' | 'codemode' | 'deferred' | 'hidden';

/** Related tools, such as those of one server. */
export interface ToolNamespace {
  name: string;
  aliases?: string[];
  description?: string;
  instructions?: string;
}

/** Hints about what a tool does, as in MCP. */
export interface ToolAnnotations {
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** Where a tool comes from. */
export interface SourceInfo {
  path: string;
  source: string;
  scope: 'user' | 'project' | 'temporary';
  origin: 'package' | 'top-level';
  baseDir?: string;
}

/** Shows the output so far; a call replaces what the one before showed. */
export type AgentToolUpdateCallback<D = unknown> = (partial: AgentToolResult<D>) => void;

/**
 * A tool for the model (`pi.registerTool`): `S` is the type of its schema, `D` of its details, `P` of its arguments. A
 * built-in tool of the same name is replaced.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what arguments are when nothing tells
export interface ToolDefinition<S extends AnySchema = AnySchema, D = unknown, P = any> {
  /** The name the model calls it by. */
  name: string;
  /** The name people read. */
  label: string;
  /** Tells the model what the tool is for. */
  description: string;
  /** One line for the tool list of the system prompt. */
  promptSnippet?: string;
  promptGuidelines?: string[];
  parameters: S;
  /** `sequential`: an answer that calls it has all its calls run one after the other. */
  executionMode?: 'sequential' | 'parallel';
  /** `direct` when absent. */
  exposure?: ToolExposure;
  /** False: not declared to the model before `pi.setActiveTools`, a setting or the command line names it. */
  defaultActive?: boolean;
  /** Told by `pi.getAllTools`. */
  namespace?: ToolNamespace;
  annotations?: ToolAnnotations;
  /** Which other tools a call may reach: all, or those that these words name. Told by `pi.getAllTools`. */
  reachesTools?(input: P): 'all' | string[];
  /** Brings what the model sent into the form of `parameters`, before it is checked. */
  prepareArguments?(args: unknown): unknown;
  /**
   * Runs the tool with arguments that fit `parameters`. End soon after `signal` fires.
   *
   * Before February 2026 the order was `(id, params, onUpdate, ctx, signal)`: it is recognised by the names of the third
   * and fourth parameter.
   */
  execute(
    toolCallId: string,
    params: P,
    signal: AbortSignal | undefined,
    onUpdate: AgentToolUpdateCallback<D>,
    ctx: ExtensionContext,
  ): AgentToolResult<D> | Promise<AgentToolResult<D>>;
  /** Draws the call in place of the default. */
  renderCall?(args: P, theme: Theme): Component;
  /** Draws the result in place of the default. */
  renderResult?(
    result: AgentToolResult<D>,
    options: { expanded: boolean; isPartial: boolean },
    theme: Theme,
  ): Component;
}

/** A tool as `pi.getAllTools` lists it. */
export interface ToolInfo {
  name: string;
  description: string;
  parameters: AnySchema;
  promptGuidelines: string[] | undefined;
  exposure: ToolExposure;
  namespace?: ToolNamespace;
  annotations?: ToolAnnotations;
  reachesTools?(input: unknown): 'all' | string[];
  sourceInfo: SourceInfo;
}
