/** A step of a tool call in an agent that a tool of a hook started. */
export interface ChildCall {
  /** Id of the conversation whose call started the agent, and that call. */
  readonly conversation: string;
  readonly parentToolCallId: string;
  readonly step: ChildStep;
}

/** `id` is unique in the conversation. */
export type ChildStep = { readonly id: string; readonly name: string } & (
  | { readonly step: 'start'; readonly args: Readonly<Record<string, unknown>> }
  | {
      readonly step: 'end';
      readonly isError: boolean;
      /** What the tool was told instead of a result, or the beginning of it. */
      readonly error: string;
      /** How long the tool ran; absent when it did not. */
      readonly durationMs?: number;
    }
);
