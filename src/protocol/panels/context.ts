import { number, object, oneOf, optional, type MessageOf, type Of } from '../base/shape';

/** What the context of a conversation consists of, in tokens. */
export const ContextBreakdown = object({
  /** Estimated from the lengths of the texts; their sum is the size of the context. `hooks`: what hooks added. */
  parts: object({ system: number, tools: number, hooks: number, files: number, messages: number }),
  /** How many tokens the model accepts; absent when no model is chosen or its size is not known. */
  window: optional(number),
  /**
   * Who counted the sum. `provider`: all of it. `partly`: the provider counted up to its last answer, and what came after is
   * estimated. `editor`: VS Code counts nothing for its models. `nobody`: there is no answer yet, or none since a compaction.
   */
  counted: oneOf('provider', 'partly', 'editor', 'nobody'),
});
export type ContextBreakdown = Of<typeof ContextBreakdown>;

/** Page to host. */
export const ContextToHost = {
  /** Asks for the breakdown, which is computed only then. */
  loadContext: {},
  /** Summarizes the conversation to free the context. */
  compactNow: {},
};
export type ContextToHost = MessageOf<typeof ContextToHost>;
