import type { ConstrainedSamplingConfig, ToolCall, Usage } from '@mariozechner/pi-ai';
import type { Component } from '@mariozechner/pi-tui';
import type { TSchema as LegacySchema } from '@sinclair/typebox';
import type { TSchema } from 'typebox';
import type { ExtensionContext } from './context';
import type { ContentPart } from '../session/messages';
import type { KeybindingHints, Theme } from '../ui/ui';

/** A schema made with `@sinclair/typebox`, `typebox`, or pi-ai's `Type` and `StringEnum`. */
export type AnySchema = LegacySchema | TSchema;

/** What a tool gives back. Report a failure by throwing an `Error`, whose message the model reads, or with `isError`. */
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
 * ones only when `pi.setActiveTools` names them, `hidden` ones never. Other tools can call the active `direct` ones, and
 * all `codemode` and `deferred` ones.
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
  /** For packages: their changelog. */
  changelogPath?: string;
}

/** Shows the output so far; a call replaces what the one before showed. */
export type AgentToolUpdateCallback<D = unknown> = (partial: AgentToolResult<D>) => void;

/** Whether the calls of one answer may run side by side. */
export type ToolExecutionMode = 'sequential' | 'parallel';

/** A tool that hooks can run by themselves, or hand to `pi.registerTool`. */
export interface AgentTool<S extends AnySchema = AnySchema, D = unknown> {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: S;
  /** Schema of `structuredContent` in its results. */
  readonly outputSchema?: AnySchema;
  readonly executionMode?: ToolExecutionMode;
  execute(
    toolCallId: string,
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each tool has arguments of its own
    params: any,
    signal?: AbortSignal,
    onUpdate?: AgentToolUpdateCallback<D>,
    ctx?: Pick<ExtensionContext, 'model' | 'sessionManager'>,
  ): Promise<AgentToolResult<D>>;
}
/** How a call ended that a tool made with `ctx.executeTool`. */
export interface AgentToolCallOutcome {
  /** `id` is `<id of the calling tool's call>/<n>`. */
  toolCall: ToolCall;
  result: AgentToolResult;
  /** The tool is unknown, the arguments do not fit, a hook blocked it, or it failed: `result.content` says which. */
  isError: boolean;
  /** How long the tool ran; absent when it did not. */
  durationMs?: number;
}

/** The tools of a conversation, as `prepareLoadout` gets them. */
export interface ToolLoadout {
  /** The active ones, with their own descriptions. */
  readonly declared: readonly Omit<AgentTool, 'execute'>[];
  /** Those that `ctx.executeTool` can run. */
  readonly callable: readonly Omit<AgentTool, 'execute'>[];
  readonly registered: readonly Omit<AgentTool, 'execute'>[];
  getExposure(name: string): ToolExposure;
  getNamespace(name: string): ToolNamespace | undefined;
  getPromptGuidelines(name: string): readonly string[];
}

/** What `prepareLoadout` gives. */
export interface ToolLoadoutChanges {
  /** What the model reads of active tools, by their names. */
  descriptions?: Readonly<Record<string, string>>;
  /** Active tools that the model is not told of; they can be called anyway. */
  hiddenDeclarations?: readonly string[];
}

/** Options of `ctx.executeTool`. */
export interface ExecuteToolOptions {
  /** Ends this call; the end of the calling tool does so, too. */
  signal?: AbortSignal;
  /** Gets the output so far. */
  onUpdate?: AgentToolUpdateCallback;
}

/** `ctx` of a tool's `execute`: as in handlers, and the way to other tools. */
export interface ExtensionToolContext extends ExtensionContext {
  /** Tools that it can call: the active ones of exposure `direct`, and all of `codemode` and `deferred`. pi. */
  readonly tools: readonly AgentTool[];
  /**
   * Runs another tool as a call of the model runs: arguments are checked, `tool_call` and `tool_result` handlers are asked
   * and told `parentToolCallId`. The model sees nothing of it. Never rejects for what fails. pi.
   */
  executeTool(name: string, args: unknown, options?: ExecuteToolOptions): Promise<AgentToolCallOutcome>;
}

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
  executionMode?: ToolExecutionMode;
  /** `direct` when absent. */
  exposure?: ToolExposure;
  /** False: not declared to the model before `pi.setActiveTools`, a setting or the command line names it. */
  defaultActive?: boolean;
  /** Told by `pi.getAllTools`. */
  namespace?: ToolNamespace;
  annotations?: ToolAnnotations;
  /** Schema of `structuredContent` in its results, for programs that call it. */
  outputSchema?: AnySchema;
  /** How a provider that can do so keeps the model to `parameters`. */
  constrainedSampling?: false | ConstrainedSamplingConfig;
  /** Which other tools a call may reach: all, or those that these words name. Told by `pi.getAllTools`. */
  reachesTools?(input: P): 'all' | string[];
  /** Changes how the active tools are declared to the model; called when other ones become active, while this one is. */
  prepareLoadout?(loadout: ToolLoadout): ToolLoadoutChanges | undefined;
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
    ctx: ExtensionToolContext,
  ): AgentToolResult<D> | Promise<AgentToolResult<D>>;
  /** `self`: what is drawn brings its own frame. pi. */
  renderShell?: 'default' | 'self';
  /** Draws the call in place of the default. */
  renderCall?(args: P, theme: Theme, context: ToolRenderContext<P>): Component;
  /** Draws the result in place of the default. */
  renderResult?(
    result: AgentToolResult<D>,
    options: { expanded: boolean; isPartial: boolean },
    theme: Theme,
    context: ToolRenderContext<P>,
  ): Component;
}

/** How calls of a tool are drawn. */
export type ToolRenderers = Pick<ToolDefinition, 'renderShell' | 'renderCall' | 'renderResult'>;

/** Last argument of `renderCall` and `renderResult`. ext, pi. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what arguments are when nothing tells
export interface ToolRenderContext<P = any> extends KeybindingHints {
  args: P;
  toolCallId: string;
  cwd: string;
  /** Yours; shared by all drawings of one call. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- whatever the hook keeps there
  state: any;
  /** What you gave for the same part before: change it and give it again, if you like. */
  lastComponent: Component | undefined;
  /** Asks to be drawn again. */
  invalidate(): void;
  expanded: boolean;
  isPartial: boolean;
  isError: boolean;
  executionStarted: boolean;
  argsComplete: boolean;
  showImages: boolean;
  /** ms that the tool ran; undefined while it runs. */
  durationMs: number | undefined;
  /** Columns left free beside what you draw. */
  outputPad: number;
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
