import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { messageOf } from '../../base/errors';
import { isRecord } from '../../base/json/is-record';

/** The largest size of one message in bytes, the same as in pi; a longer message is discarded while it arrives. */
export const MESSAGE_LIMIT = 16 * 1024 * 1024;

/** How many bytes of both ends of a discarded message are kept, to find the id of the request that it answers. */
const END_BYTES = 512;
const NEWLINE = 0x0a;
const LIST_CHANGE = /^notifications\/\w+\/list_changed$/;

/** The functions that get what a server prints. */
export interface LineSinks {
  readonly onMessage: (message: JSONRPCMessage) => void;
  /** Gets an error for each line that is not a message. */
  readonly onError: (error: Error) => void;
  /** Is called for a message that is too long and in which no id of a request was found. */
  readonly onTooLong: (reason: string) => void;
}

/** Splits what a server prints into messages, one per line, and keeps at most one message in memory. */
export class MessageLines {
  private pieces: Buffer[] = [];
  private bytes = 0;
  /** Reports of changed lists, by kind, until the sink gets one of each in the next turn of the event loop. */
  private changes: Map<unknown, JSONRPCMessage> | undefined;
  /** The beginning and the end so far of a line that is too long. */
  private over: { readonly head: Buffer; tail: Buffer } | undefined;

  constructor(
    private readonly sinks: LineSinks,
    private readonly limit = MESSAGE_LIMIT,
  ) {}

  read(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end < 0) break;
      this.add(chunk.subarray(start, end));
      this.endLine();
      start = end + 1;
    }
    if (start < chunk.length) this.add(chunk.subarray(start));
  }

  private add(piece: Buffer): void {
    this.bytes += piece.length;
    if (this.over !== undefined) {
      this.over.tail = Buffer.concat([this.over.tail, piece]).subarray(-END_BYTES);
      return;
    }
    this.pieces.push(piece);
    if (this.bytes <= this.limit) return;
    const line = Buffer.concat(this.pieces);
    this.over = { head: Buffer.from(line.subarray(0, END_BYTES)), tail: Buffer.from(line.subarray(-END_BYTES)) };
    this.pieces = [];
  }

  private endLine(): void {
    const { over, pieces } = this;
    this.over = undefined;
    this.pieces = [];
    this.bytes = 0;
    if (over !== undefined) this.refuse(over.head.toString('utf8'), over.tail.toString('utf8'));
    else this.parse(Buffer.concat(pieces).toString('utf8').trim());
  }

  private parse(line: string): void {
    if (line === '') return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch (error) {
      this.sinks.onError(
        new Error(`It printed a line that is not a message: ${shortened(line)} (${messageOf(error)})`),
      );
      return;
    }
    // The library checks the kind of message.
    if (isRecord(message) && message['jsonrpc'] === '2.0') this.pass(message as unknown as JSONRPCMessage);
    else this.sinks.onError(new Error(`It printed a line that is not a message: ${shortened(line)}`));
  }

  /** Of many reports of a kind that come together, one is enough: each would be read as the first. */
  private pass(message: JSONRPCMessage): void {
    const method: unknown = 'method' in message ? message.method : undefined;
    if (typeof method !== 'string' || 'id' in message || !LIST_CHANGE.test(method)) {
      this.sinks.onMessage(message);
      return;
    }
    if (this.changes === undefined) {
      this.changes = new Map();
      setImmediate(() => {
        const reports = this.changes?.values() ?? [];
        this.changes = undefined;
        for (const report of reports) this.sinks.onMessage(report);
      });
    }
    this.changes.set(method, message);
  }

  /** Replaces a message that is too long by an error for the request that it answers. */
  private refuse(head: string, tail: string): void {
    const reason = `it sent a message of more than ${this.limit / (1024 * 1024)} MB`;
    const id =
      /^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d+)\s*,/.exec(head)?.[1] ??
      /"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d+)\s*\}\s*$/.exec(tail)?.[1];
    if (id === undefined) this.sinks.onTooLong(reason);
    else this.sinks.onMessage({ jsonrpc: '2.0', id: Number(id), error: { code: -32603, message: reason } });
  }
}

function shortened(line: string): string {
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
