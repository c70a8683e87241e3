/** What the built-in model says to one request. */
export type ModelTurn =
  | { readonly text: string }
  | {
      /** The agent's own name of one of its tools. */
      readonly tool: string;
      /** The group that the tool is in, where Codex has put it into one. */
      readonly namespace?: string;
      /** A text for a tool that takes free text, as Codex's `apply_patch`. */
      readonly input: Readonly<Record<string, unknown>> | string;
    };

/** The APIs that the built-in model speaks, by the names of their makers. */
export type ModelApi = 'anthropic-messages' | 'openai-responses' | 'openai-completions' | 'google-generative-ai';

/** The answer of an API to one request: server-sent events, or one JSON value. */
export type WriteTurn = (turn: ModelTurn, about: TurnAbout) => { readonly events: string[]; readonly whole: unknown };

/** `id` is unique in the server and in form of the APIs' ids. */
export interface TurnAbout {
  readonly id: string;
  readonly model: string;
}

/** One server-sent event. */
export function sentEvent(data: unknown, name?: string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`;
}
