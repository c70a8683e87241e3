import type { ToolCallContent } from '@agentclientprotocol/sdk';
import type { SessionClient } from '../client';
import { textContent } from './call-content';

/** How often the end of an output is sent, in ms. */
const TAIL_MS = 250;
/** Size of that end, in bytes. */
const TAIL_BYTES = 16 * 1024;
/** How long output is collected before it is sent, in ms. */
const DELTA_MS = 50;
/** So many characters are sent at once: then a client that reads slowly holds up the command. */
const MOST_COLLECTED = 256 * 1024;
/** Most characters of one command that wait for a client that does not read. */
const MOST_WAITING = 4 * 1024 * 1024;

type Updating = Pick<SessionClient, 'capabilities' | 'update' | 'whenDrained'>;

/** What a command prints while it runs, as a client gets it. */
export interface CommandOutput {
  /** Adds what was printed. */
  add(chunk: string): void;
  /** Sends what is left: the command is over. */
  end(exitCode: number | null, signal: string | null): void;
}

/** Whether the client shows output in terminals of its own, as Zed does: `_meta.terminal_output`. */
export function showsTerminals({ capabilities }: Pick<SessionClient, 'capabilities'>): boolean {
  return capabilities._meta?.['terminal_output'] === true;
}

/** What declares the terminal of a call, whose id is that of the call. */
export function terminalMeta(toolCallId: string, cwd: string): Readonly<Record<string, unknown>> {
  return { terminal_info: { terminal_id: toolCallId, cwd } };
}

/** The output of a call: exact where the client shows terminals, else its end at intervals. */
export function commandOutput(client: Updating, toolCallId: string): CommandOutput {
  return showsTerminals(client) ? new TerminalOutput(client, toolCallId) : new TailOutput(client, toolCallId);
}

/** Sends at intervals, and not while the client does not read. */
class Sending {
  private state: 'idle' | 'waiting' | 'over' = 'idle';
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly client: Updating,
    private readonly ms: number,
    private readonly send: () => void,
  ) {}

  /** There is something to send: soon, with what comes until then. */
  request(): void {
    if (this.state !== 'idle') return;
    this.state = 'waiting';
    this.timer = setTimeout(() => void this.flush(), this.ms);
  }

  /** Nothing more is sent from here. */
  end(): void {
    this.state = 'over';
    clearTimeout(this.timer);
  }

  private async flush(): Promise<void> {
    await this.client.whenDrained();
    if (this.isOver()) return;
    this.state = 'idle';
    this.send();
  }

  private isOver(): boolean {
    return this.state === 'over';
  }
}

class TerminalOutput implements CommandOutput {
  private waiting: string[] = [];
  private size = 0;
  private lost = 0;
  private readonly sending: Sending;

  constructor(
    private readonly client: Updating,
    private readonly toolCallId: string,
  ) {
    this.sending = new Sending(client, DELTA_MS, () => this.send());
  }

  add(chunk: string): void {
    this.waiting.push(chunk);
    this.size += chunk.length;
    if (this.size > MOST_COLLECTED && this.client.whenDrained() === undefined) {
      this.send();
      return;
    }
    while (this.size > MOST_WAITING) {
      const { length } = this.waiting.shift() ?? '';
      this.size -= length;
      this.lost += length;
    }
    this.sending.request();
  }

  end(exitCode: number | null, signal: string | null): void {
    this.sending.end();
    this.send();
    this.tell({ terminal_exit: { terminal_id: this.toolCallId, exit_code: exitCode, signal } });
  }

  private send(): void {
    const gap = this.lost === 0 ? '' : `\n[${this.lost} characters came faster than they were read]\n`;
    const data = gap + this.waiting.join('');
    this.waiting = [];
    this.size = 0;
    this.lost = 0;
    if (data !== '') this.tell({ terminal_output: { terminal_id: this.toolCallId, data } });
  }

  private tell(meta: Record<string, unknown>): void {
    this.client.update({ sessionUpdate: 'tool_call_update', toolCallId: this.toolCallId, _meta: meta });
  }
}

/** The end of an output, at intervals. The whole result follows at the end of the call, so what is left then is not sent. */
export class TailOutput implements CommandOutput {
  private tail = '';
  private readonly sending: Sending;

  constructor(
    private readonly client: Updating,
    private readonly toolCallId: string,
  ) {
    this.sending = new Sending(client, TAIL_MS, () => this.send());
  }

  add(chunk: string): void {
    this.tail += chunk;
    if (this.tail.length > 4 * TAIL_BYTES) this.tail = this.tail.slice(-TAIL_BYTES);
    this.sending.request();
  }

  /** The output is another one. */
  replace(text: string): void {
    this.tail = text.slice(-TAIL_BYTES);
    this.sending.request();
  }

  end(): void {
    this.sending.end();
  }

  /** What the client is shown of it. */
  get content(): ToolCallContent[] {
    return [textContent(lastBytes(this.tail, TAIL_BYTES))];
  }

  private send(): void {
    const { content, toolCallId } = this;
    this.client.update({ sessionUpdate: 'tool_call_update', toolCallId, content });
  }
}

/** The end of a text; begins with a whole character. */
function lastBytes(text: string, most: number): string {
  const bytes = Buffer.from(text.slice(-most));
  if (bytes.length <= most) return text.slice(-most);
  let from = bytes.length - most;
  while (((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return bytes.toString('utf8', from);
}
