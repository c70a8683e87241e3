import { createConnection, type Socket } from 'node:net';
import { isRecord } from '../../base/json/is-record';
import { LineReader } from '../../base/text/line-reader';
import { unlessAborted, withTimeout } from '../../base/wait';
import type { ApiKeySource } from '../../agent/models/keys/api-key-source';
import type { AskedCall } from '../../hooks/built-in-gate/call-details';
import type { CallState, GateAnswer } from '../../hooks/built-in-gate/gate-hook';
import type { ConfiguredPath } from '../../hooks/host/discover';
import type { ChildStep } from '../../hooks/host/child-call';
import { isUnchanged, type RunningFile } from '../../hooks/host/hook-slot';
import {
  PARENT_VARIABLE,
  readLine,
  type ApprovalRequest,
  type KeyQuestion,
  type ParentAddress,
  type ParentInfo,
} from './messages';

const ANSWER_LIMIT_MS = 10_000;
const LEFT_ALONE: GateAnswer = {
  block: true,
  reason: 'The process whose hook started this agent is gone, so nobody can approve this call.',
  approvalReason: { by: 'nobody' },
};
const GONE = 'The process whose hook started this agent is gone, and so are the hooks that guard it.';

/**
 * The way from an agent to the process whose hook started it: the hooks that guard there guard here too, and keys that
 * a user typed in there are found (docs/hooks.md, "Agents that hooks start").
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
      line => this.take(readLine(line)),
      () => this.end(),
    );
  }

  /**
   * Finds the process above; undefined when no hook started this one. The variable that leads there is taken out of `env`,
   * so that nothing which a model runs finds it.
   * @throws when that process is gone: without its hooks nothing may run
   */
  static async open(env: NodeJS.ProcessEnv): Promise<ParentLink | undefined> {
    const given = env[PARENT_VARIABLE];
    if (given === undefined || given === '') return undefined;
    Reflect.deleteProperty(env, PARENT_VARIABLE);
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
   * The hook files to load beside those that are found here: the gates of the process above and, in the same folder, what
   * its settings name. `search` is false when files are not searched for: then only the gates.
   * @throws when a gate is not what runs above
   */
  async hooksFor(cwd: string, search: boolean): Promise<readonly ConfiguredPath[]> {
    const isSame = search && cwd === this.facts.cwd;
    const wanted = this.facts.hooks.filter(({ isGate, origin }) => isGate || (isSame && origin === 'settings'));
    for (const hook of wanted) if (hook.isGate) await refuseChanged(hook);
    return wanted.map(({ path, group }) => ({ path, group, from: 'the process that started this one' }));
  }

  /** Tells of a tool call in this agent: it is shown in the card of the call that started it. */
  tell(step: ChildStep): void {
    if (this.socket.writable) this.socket.write(`${JSON.stringify(step)}\n`);
  }

  async get(provider: string): Promise<string | undefined> {
    if (this.socket.destroyed) return undefined;
    const id = ++this.asked;
    const answer = new Promise<string | undefined>(resolve => this.waiting.set(id, resolve));
    this.socket.write(`${JSON.stringify({ id, provider } satisfies KeyQuestion)}\n`);
    return await withTimeout(answer, ANSWER_LIMIT_MS, () => undefined);
  }

  /** What the process above makes of a tool call; a user may be asked there. Refused when that process is gone. */
  async decide(call: AskedCall, state: CallState, signal: AbortSignal | undefined): Promise<GateAnswer> {
    if (this.socket.destroyed) return LEFT_ALONE;
    const id = ++this.asked;
    const answer = new Promise<GateAnswer>(resolve => this.deciding.set(id, resolve));
    this.socket.write(`${JSON.stringify({ id, call, state } satisfies ApprovalRequest)}\n`);
    const given = await unlessAborted(answer, signal, () => LEFT_ALONE);
    this.deciding.delete(id);
    return given;
  }

  private take(said: Readonly<Record<string, unknown>> | undefined): void {
    const id = said?.['id'];
    if (typeof id !== 'number') return;
    const decided = said?.['decided'];
    // Written by a server of this same version.
    if (isRecord(decided)) this.deciding.get(id)?.(decided as unknown as GateAnswer);
    const key = said?.['key'];
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
    `${path} is not what guards the process that started this agent: it was changed since. Approve the change there, then try again.`,
  );
}

function addressOf(given: string): ParentAddress {
  const way = readLine(given);
  if (typeof way?.['address'] !== 'string') throw new Error(`${PARENT_VARIABLE} is not an address.`);
  return way as unknown as ParentAddress; // Written by a server of this same version.
}

function factsIn(line: string): ParentInfo {
  const facts = readLine(line);
  // Written by a server of this same version: the command line is beside the extension.
  if (!Array.isArray(facts?.['hooks']) || !isRecord(facts['dialects'])) throw new Error(GONE);
  return facts as unknown as ParentInfo;
}
