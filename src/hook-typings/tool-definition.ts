import type { Component } from '@mariozechner/pi-tui';
import type { TSchema as LegacySchema } from '@sinclair/typebox';
import type { TSchema } from 'typebox';
import type { ExtensionContext } from './context';
import type { ContentPart } from './messages';
import type { Theme } from './ui';

/** A schema made with `@sinclair/typebox`, `typebox`, or pi-ai's `Type` and `StringEnum`. */
export type AnySchema = LegacySchema | TSchema;

/** What a tool gives back. Failure is told by throwing an `Error`, whose message the model reads. */
export interface AgentToolResult<D = unknown> {
  /** What the model reads. */
  content: ContentPart[];
  /** For `renderResult` and for other hooks; never sent to the model. */
  details: D;
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
}
