import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { ended, type CliPlace, type Ended, type Program } from './cli';

/** A message of the agent, as it came in. */
export type Message = Readonly<Record<string, unknown>> & { readonly type: string };

const GUARD_MS = 50_000;

/** A host application in the words of the protocol, written down here once more so that it can disagree with ours. */
export class RpcHost {
  /** Everything that came on stdout, in order. */
  readonly messages: Message[] = [];
  /** Lines on stdout that are no JSON object. */
  readonly rubbish: string[] = [];
  readonly ended: Promise<Ended>;
  private readonly waiting = new Set<() => void>();
  private rest = '';
  private count = 0;

  /** `end` is the event that tells that a run is over. */
  constructor(
    readonly child: ChildProcessWithoutNullStreams,
    private readonly end = 'agent_settled',
  ) {
    this.ended = ended(child);
    child.stdout.on('data', (text: string) => {
      const lines = (this.rest + text).split('\n');
      this.rest = lines.pop() ?? '';
      for (const line of lines) this.take(line);
      for (const look of [...this.waiting]) look();
    });
  }

  /** `program` names another command line than ours. */
  static start(place: CliPlace, args: readonly string[] = [], program: Partial<Program> = {}): RpcHost {
    return new RpcHost(place.start(['--mode', 'rpc', ...args], program));
  }

  /** Speaks the older protocol. */
  static startOlder(place: CliPlace, args: readonly string[] = []): RpcHost {
    return new RpcHost(place.start(['--mode', 'rpc', '--rpc-version', '0.73', ...args]), 'agent_end');
  }

  raw(line: string): void {
    this.child.stdin.write(line);
  }

  /** Sends a command and returns its id. */
  post(type: string, members: object = {}): string {
    this.count += 1;
    const id = `c${this.count}`;
    this.raw(`${JSON.stringify({ id, type, ...members })}\n`);
    return id;
  }

  /** Sends a command and resolves with its response. */
  ask(type: string, members: object = {}): Promise<Message> {
    const id = this.post(type, members);
    return this.next(message => message.type === 'response' && message['id'] === id, `the response to ${type}`);
  }

  /** The data of a command that must succeed. */
  async data<T = unknown>(type: string, members: object = {}): Promise<T> {
    const response = await this.ask(type, members);
    if (response['success'] !== true) throw new Error(`${type}: ${String(response['error'])}`);
    return response['data'] as T;
  }

  /** The error of a command that must fail. */
  async error(type: string, members: object = {}): Promise<string> {
    const response = await this.ask(type, members);
    if (response['success'] !== false) throw new Error(`${type} succeeded`);
    return String(response['error']);
  }

  /** The first message since `from` (default: ever) that fits, waited for when it is not there yet. */
  next(fits: (message: Message) => boolean, what: string, from = 0): Promise<Message> {
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(guard);
        this.waiting.delete(look);
      };
      const look = (): void => {
        const found = this.messages.slice(from).find(fits);
        if (found === undefined) return;
        finish();
        resolve(found);
      };
      const guard = setTimeout(() => {
        finish();
        reject(new Error(`waited in vain for ${what}; there came ${this.types(from).join(' ')}`));
      }, GUARD_MS);
      this.waiting.add(look);
      look();
    });
  }

  event(type: string, from = 0): Promise<Message> {
    return this.next(message => message.type === type, type, from);
  }

  /** A question or notice of a hook. */
  ui(method: string, from = 0): Promise<Message> {
    return this.next(message => message.type === 'extension_ui_request' && message['method'] === method, method, from);
  }

  answer(request: Message, response: object): void {
    this.raw(`${JSON.stringify({ type: 'extension_ui_response', id: request['id'], ...response })}\n`);
  }

  /** Sends a prompt and resolves when its run is over; `end` is what tells so. */
  async prompt(message: string, end = this.end): Promise<void> {
    const from = this.messages.length;
    await this.data('prompt', { message });
    await this.event(end, from);
  }

  types(from = 0): readonly string[] {
    return this.messages.slice(from).map(({ type }) => type);
  }

  /** Closes stdin and resolves when the process has ended. */
  close(): Promise<Ended> {
    this.child.stdin.end();
    return this.ended;
  }

  private take(line: string): void {
    try {
      this.messages.push(JSON.parse(line) as Message);
    } catch {
      this.rubbish.push(line);
    }
  }
}
