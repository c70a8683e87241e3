import { createConnection, type Socket } from 'node:net';
import { realPathIfThere } from '../../base/files/on-disk';
import { isRecord } from '../../base/json/is-record';
import { parseObject } from '../../base/json/parse-object';
import { LineReader } from '../../base/text/line-reader';
import { unlessAborted, withTimeout } from '../../base/async/wait';
import type { ApiKeySource } from '../../agent/models/keys/api-key-source';
import type { AskedCall } from '../../hook-contract/approvals/asked-call';
import type { CallState, GateAnswer } from '../../gate/approval-settings';
import type { ConfiguredPath } from '../../hook-load/files/discover';
import type { ChildStep } from '../../hook-run/host/child-call';
import { isUnchanged, type RunningFile } from '../../hook-load/files/hook-slot';
import {
  PARENT_VARIABLE,
  type ApprovalRequest,
  type KeyQuestion,
  type ParentAddress,
  type ParentInfo,
} from './messages';

const ANSWER_LIMIT_MS = 10_000;
const LEFT_ALONE: GateAnswer = {
  block: true,
  reason: 'The process whose hook started this agent has ended, so nobody can approve this call.',
  approvalReason: { by: 'nobody' },
};
const GONE = 'The process whose hook started this agent has ended, so its hooks cannot check this call.';
const IN_USE =
  'Another agent uses the connection to the process whose hook started this program. Start each agent from the hook itself, or one after another.';

/** The connections that were opened, by the environment that had the address. */
const opened = new WeakMap<NodeJS.ProcessEnv, Promise<ParentLink>>();

/**
 * The connection from an agent to the process whose hook started it. The gates of that process also apply here, and the
 * agent can use API keys that the user typed there (docs/hooks.md, "Agents that hooks start").
 */
export class ParentLink implements ApiKeySource {
  private readonly waiting = new Map<number, (key: string | undefined) => void>();
  private readonly deciding = new Map<number, (answer: GateAnswer) => void>();
  private asked = 0;

  private constructor(
    private readonly socket: Socket,
    readonly facts: ParentInfo,
    lines: LineReader,
  ) {
    lines.listen(
      line => this.take(parseObject(line)),
      () => this.end(),
    );
  }

  /**
   * Connects to the process whose hook started this one; resolves with undefined when no hook did. Removes the variable with
   * the address from `env`, so that no program which a model runs finds it. A later call with the same `env` has the same
   * outcome, so that each folder has the gates of that process.
   * @throws Error when that process cannot be reached: without its gates, nothing may run
   */
  static async open(env: NodeJS.ProcessEnv): Promise<ParentLink | undefined> {
    const given = env[PARENT_VARIABLE];
    if (given === undefined || given === '') return opened.get(env);
    Reflect.deleteProperty(env, PARENT_VARIABLE);
    const opening = ParentLink.connect(given);
    opened.set(env, opening);
    return opening;
  }

  private static async connect(given: string): Promise<ParentLink> {
    const { address, ...hello } = addressOf(given);
    const socket = createConnection(address);
    socket.on('error', () => socket.destroy());
    const lines = new LineReader(socket);
    const first = new Promise<string>((resolve, reject) => {
      const gone = (): void => reject(new Error(GONE));
      socket.once('error', gone);
      lines.listen(resolve, gone);
    });
    socket.write(`${JSON.stringify(hello)}\n`);
    const line = await withTimeout(first, ANSWER_LIMIT_MS, () => {
      socket.destroy();
      throw new Error(GONE);
    });
    return new ParentLink(socket, factsIn(line), lines);
  }

  /**
   * Returns the hook files to load in addition to those found here: the gates of the other process and, if both have
   * the same folder, the hooks that its settings name. Only the gates when `search` is false.
   * @throws Error when the file of a gate differs from the version that runs there
   */
  async hooksFor(cwd: string, search: boolean): Promise<readonly ConfiguredPath[]> {
    const isSame = search && realPathIfThere(cwd) === realPathIfThere(this.facts.cwd);
    const wanted = this.facts.hooks.filter(({ isGate, origin }) => isGate || (isSame && origin === 'settings'));
    for (const hook of wanted) if (hook.isGate) await refuseChanged(hook);
    return wanted.map(({ path, group }) => ({ path, group, from: 'the process that started this one' }));
  }

  /** Reports a step of a tool call in this agent; it is shown in the card of the call that started the agent. */
  reportStep(step: ChildStep): void {
    if (this.socket.writable) this.socket.write(`${JSON.stringify(step)}\n`);
  }

  async get(provider: string): Promise<string | undefined> {
    if (this.socket.destroyed) return undefined;
    const id = ++this.asked;
    const answer = new Promise<string | undefined>(resolve => this.waiting.set(id, resolve));
    this.socket.write(`${JSON.stringify({ id, provider } satisfies KeyQuestion)}\n`);
    return await withTimeout(answer, ANSWER_LIMIT_MS, () => undefined);
  }

  /** Lets the other process, which may ask the user, decide about a tool call. Blocks it if that process has ended. */
  async decide(call: AskedCall, state: CallState, signal: AbortSignal | undefined): Promise<GateAnswer> {
    if (this.socket.destroyed) return LEFT_ALONE;
    const id = ++this.asked;
    const answer = new Promise<GateAnswer>(resolve => this.deciding.set(id, resolve));
    this.socket.write(`${JSON.stringify({ id, call, state } satisfies ApprovalRequest)}\n`);
    const given = await unlessAborted(answer, signal, () => LEFT_ALONE);
    this.deciding.delete(id);
    return given;
  }

  private take(message: Readonly<Record<string, unknown>> | undefined): void {
    const id = message?.['id'];
    if (typeof id !== 'number') return;
    const decided = message?.['decided'];
    // A server of this same version wrote it.
    if (isRecord(decided)) this.deciding.get(id)?.(decided as unknown as GateAnswer);
    const key = message?.['key'];
    this.waiting.get(id)?.(typeof key === 'string' ? key : undefined);
    this.waiting.delete(id);
  }

  private end(): void {
    for (const tell of this.waiting.values()) tell(undefined);
    this.waiting.clear();
    for (const tell of this.deciding.values()) tell(LEFT_ALONE);
    this.deciding.clear();
    this.socket.destroy();
  }
}

async function refuseChanged({ path, sources }: RunningFile): Promise<void> {
  if (sources.length === 0 || (await isUnchanged({ sources }))) return;
  throw new Error(
    `${path} was changed after it was loaded in the process that started this agent. Approve the change there, then try again.`,
  );
}

function addressOf(given: string): ParentAddress {
  const way = parseObject(given);
  if (typeof way?.['address'] !== 'string') throw new Error(`${PARENT_VARIABLE} is not an address.`);
  return way as unknown as ParentAddress; // A server of this same version wrote it.
}

function factsIn(line: string): ParentInfo {
  const facts = parseObject(line);
  if (facts?.['refused'] === 'inUse') throw new Error(IN_USE);
  // A server of this same version wrote it: the command line is part of the extension.
  if (!Array.isArray(facts?.['hooks']) || !isRecord(facts['dialects'])) throw new Error(GONE);
  return facts as unknown as ParentInfo;
}
