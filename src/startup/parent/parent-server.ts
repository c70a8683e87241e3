import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defined } from '../../base/defined';
import type { Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { Emitter } from '../../base/event';
import { parseObject } from '../../base/json/parse-object';
import { LineReader } from '../../base/text/line-reader';
import type { Log } from '../../base/log';
import type { AskedCall } from '../../hook-contract/approvals/asked-call';
import type { CallState, GateAnswer } from '../../gate/approval-settings';
import { runningCall, type RunningCall } from '../../hook-run/api/tools/running-call';
import type { ChildCall, ChildStep } from '../../hook-run/host/child-call';
import {
  approvalRequest,
  childStep,
  PARENT_VARIABLE,
  type ApprovalReply,
  type ApprovalRequest,
  type KeyAnswer,
  type ParentAddress,
  type ParentInfo,
  type ParentRefusal,
} from './messages';
import { StartTokens, type StartRights } from './start-tokens';

/** An address that cannot be opened, because it is below a file. */
const NOWHERE = join(process.execPath, 'nowhere.sock');
const SOCKET = 'parent.sock';
/** In bytes; the limit of macOS is the lowest. The system cuts a longer address without an error. */
const LONGEST_ADDRESS = 103;

/** Where to listen: a pipe on Windows, elsewhere a socket in a new folder, which the caller removes. */
export function newAddress(platform: NodeJS.Platform): { readonly address: string; readonly folder?: string } {
  if (platform === 'win32') return { address: `\\\\.\\pipe\\hookline-${randomBytes(8).toString('hex')}` };
  // mkdtemp appends six random characters to the folder's name.
  const fits = Buffer.byteLength(join(tmpdir(), 'hookline-XXXXXX', SOCKET)) <= LONGEST_ADDRESS;
  const folder = mkdtempSync(join(fits ? tmpdir() : '/tmp', 'hookline-')); // Only its owner can open it.
  return { address: join(folder, SOCKET), folder };
}

/** What {@link ParentServer} needs. */
export interface ParentServerParts {
  /** Is called for each connection. */
  readonly facts: () => ParentInfo;
  /** Returns the API key that the user typed for a provider. */
  readonly typedKey: (provider: string) => Promise<string | undefined>;
  /**
   * Decides about a tool call of an agent; `call` is the one that started the agent. `signal` fires when the agent
   * ends.
   */
  readonly decide: (
    call: RunningCall | undefined,
    asked: AskedCall,
    state: CallState,
    signal: AbortSignal,
  ) => Promise<GateAnswer>;
  readonly log: Log;
}

/**
 * Serves the agents that hooks of this process start: tells them its gates and decides about their calls
 * (docs/hooks.md, "Agents that hooks start"). It listens on a socket that only this user can open, once a hook has
 * started a process.
 */
export class ParentServer implements Disposable {
  private readonly tokens = new StartTokens();
  private readonly sockets = new Set<Socket>();
  private readonly emitter = new Emitter<ChildCall>();
  /** Fires for each step of a tool call in an agent. */
  readonly onDidCall = this.emitter.event;
  private agents = 0;
  private folder: string | undefined;
  private server: Server | undefined;
  private address: string | undefined;

  constructor(private readonly parts: ParentServerParts) {}

  /**
   * The environment variables with which one started process finds this one. API keys are only sent to a process that is
   * `trustedWithKeys`: any other process that a hook starts may run code which a model wrote.
   */
  variables(trustedWithKeys: boolean): Readonly<Record<string, string>> {
    this.address ??= this.listen();
    const token = this.tokens.issue({ keys: trustedWithKeys, call: runningCall() });
    const way: ParentAddress = { address: this.address, token };
    return { [PARENT_VARIABLE]: JSON.stringify(way) };
  }

  /** Returns a function that reports steps of a session in this process; see {@link onDidCall}. */
  stepsFrom(call: RunningCall | undefined): (step: ChildStep) => void {
    const agent = ++this.agents;
    return step => this.tell(call, agent, step);
  }

  dispose(): void {
    this.emitter.dispose();
    for (const socket of this.sockets) socket.destroy();
    this.server?.close();
    if (this.folder !== undefined) rmSync(this.folder, { recursive: true, force: true });
  }

  /** If no socket can be opened, returns an address that fails: agents then refuse to start, other programs do not. */
  private listen(): string {
    const failed = (error: unknown): void => {
      this.parts.log.error(`Agents that hooks start cannot reach this process: ${messageOf(error)}`, error);
    };
    try {
      const { address, folder } = newAddress(process.platform);
      this.folder = folder;
      this.server = createServer(socket => this.serve(socket));
      this.server.on('error', failed);
      this.server.listen(address);
      this.server.unref();
      return address;
    } catch (error) {
      failed(error);
      return NOWHERE;
    }
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    const gone = new AbortController();
    socket.on('close', () => {
      gone.abort();
      this.sockets.delete(socket);
    });
    socket.on('error', () => socket.destroy());
    socket.unref();
    const agent = ++this.agents;
    let rights: StartRights | undefined;
    new LineReader(socket).listen(
      line => {
        const message = parseObject(line);
        if (message === undefined) socket.destroy();
        else if (rights === undefined) rights = this.greet(socket, message['token']);
        else this.receive(message, { socket, agent, rights, signal: gone.signal });
      },
      () => socket.end(),
    );
  }

  /** Answers the first line of a connection; a process without a right to it is sent away. */
  private greet(socket: Socket, token: unknown): StartRights | undefined {
    const connection = this.tokens.connect(token);
    if (connection.type !== 'connected') {
      socket.end(`${JSON.stringify({ refused: connection.type } satisfies ParentRefusal)}\n`);
      return undefined;
    }
    socket.on('close', connection.end);
    write(socket, this.parts.facts());
    return connection.rights;
  }

  private receive(message: Readonly<Record<string, unknown>>, { socket, agent, rights, signal }: Agent): void {
    const step = childStep(message);
    const approval = approvalRequest(message);
    if (approval !== undefined) void this.decide(socket, rights.call, approval, signal);
    else if (step !== undefined) this.tell(rights.call, agent, step);
    else void this.answer(socket, message, rights.keys);
  }

  /** Ignores the steps of agents that no tool call started, since no card could show them. */
  private tell(call: RunningCall | undefined, agent: number, step: ChildStep): void {
    if (call === undefined) return;
    const { conversation, toolCallId } = call;
    const id = `${toolCallId}/${agent}.${step.id}`;
    this.emitter.fire({ conversation, parentToolCallId: toolCallId, step: { ...step, id } });
  }

  private async decide(
    socket: Socket,
    from: RunningCall | undefined,
    { id, call, state }: ApprovalRequest,
    signal: AbortSignal,
  ): Promise<void> {
    const decided = await this.parts.decide(from, call, state, signal).catch((error: unknown): GateAnswer => {
      this.parts.log.error('Hookline could not decide about a call of an agent that a hook started.', error);
      return {
        block: true,
        reason: `Hookline could not decide about the call: ${messageOf(error)}`,
        approvalReason: { by: 'nobody' },
      };
    });
    write(socket, { id, decided } satisfies ApprovalReply);
  }

  private async answer(
    socket: Socket,
    { id, provider }: Readonly<Record<string, unknown>>,
    trusted: boolean,
  ): Promise<void> {
    if (typeof id !== 'number' || typeof provider !== 'string') return;
    const asked = trusted ? this.parts.typedKey(provider) : Promise.resolve(undefined);
    const key = await asked.catch((error: unknown) => {
      this.parts.log.error(`The key of ${provider} could not be read for an agent that a hook started.`, error);
      return undefined;
    });
    write(socket, { id, ...defined({ key }) } satisfies KeyAnswer);
  }
}

/** A started agent that is connected. */
interface Agent {
  readonly socket: Socket;
  /** Tells the agents apart. */
  readonly agent: number;
  readonly rights: StartRights;
  /** Fires when the agent ends. */
  readonly signal: AbortSignal;
}

function write(socket: Socket, value: object): void {
  if (socket.writable) socket.write(`${JSON.stringify(value)}\n`);
}
