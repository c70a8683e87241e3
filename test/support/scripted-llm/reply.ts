/** What the scripted model says in one reply; blocks are sent in the order thinking, text, tool calls. */
export interface ScriptedReply {
  /** One string is one delta; an array is one delta per element. */
  readonly thinking?: string | readonly string[];
  readonly text?: string | readonly string[];
  readonly toolCalls?: readonly ScriptedToolCall[];
  readonly usage?: ScriptedUsage;
  /** Default: `toolUse` when there are tool calls, else `stop`. */
  readonly stopReason?: 'stop' | 'length' | 'toolUse';
  /** The model declines to answer: `refusal` of Anthropic's format, `content_filter` of OpenAI's completions. */
  readonly declines?: true;
}

export interface ScriptedToolCall {
  /** Default: `call_<reply>_<index>`, unique per server. */
  readonly id?: string;
  readonly name: string;
  /** An object is sent as JSON in pieces; an array of strings is sent as it is, one delta each (broken JSON included). */
  readonly arguments: Readonly<Record<string, unknown>> | readonly string[];
  /** Characters per delta when `arguments` is an object. Default 7, so that strings and escapes are split. */
  readonly pieceSize?: number;
}

export interface ScriptedUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** A reply with every default filled in, as the wire formats read it. */
export interface WireReply {
  readonly id: string;
  readonly model: string;
  readonly thinking: readonly string[];
  readonly text: readonly string[];
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly pieces: readonly string[] }[];
  readonly usage: Required<ScriptedUsage>;
  readonly stopReason: 'stop' | 'length' | 'toolUse';
  readonly declines?: boolean;
}

/** One server-sent event, without its trailing blank line; or the bytes of an event of another kind. */
export type Frame = string | Uint8Array;

export function toWireReply(reply: ScriptedReply, serial: number, model: string): WireReply {
  const toolCalls = (reply.toolCalls ?? []).map((call, index) => ({
    id: call.id ?? `call_${serial}_${index + 1}`,
    name: call.name,
    pieces: isPieces(call.arguments)
      ? call.arguments
      : pieces(JSON.stringify(call.arguments), Math.max(1, call.pieceSize ?? 7)),
  }));
  return {
    id: `reply_${serial}`,
    model,
    thinking: list(reply.thinking),
    text: list(reply.text),
    toolCalls,
    usage: { cacheRead: 0, cacheWrite: 0, ...(reply.usage ?? { input: 10, output: 5 }) },
    stopReason: reply.stopReason ?? (toolCalls.length > 0 ? 'toolUse' : 'stop'),
    declines: reply.declines === true,
  };
}

export function dataFrame(data: unknown, event?: string): Frame {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}`;
}

function isPieces(value: ScriptedToolCall['arguments']): value is readonly string[] {
  return Array.isArray(value);
}

function list(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}

function pieces(text: string, size: number): string[] {
  const result: string[] = [];
  for (let start = 0; start < text.length; start += size) result.push(text.slice(start, start + size));
  return result;
}
