/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-return -- hooks are foreign code */
import { toDisposable } from '../../../src/base/disposable';
import { silentLog } from '../../../src/base/log';
import type { AgentContract, GuardedEvent, EventAnswer } from '../../../src/guard/agents/agent';
import { GuardedFolder, type GuardedFolderParts } from '../../../src/guard/calls/guarded-folder';
import {
  AGENT_NAMES,
  type AgentCall,
  type AgentId,
  type AgentReply,
  type GuardRecord,
} from '../../../src/guard/protocol/agent-call';
import type { Answer } from '../../../src/hook-contract/ui/ui';
import type { HookHostOptions } from '../../../src/hook-run/host/host-options';
import { DialogQueue, type Question } from '../../../src/session/ports/dialogs';
import { hook, TestHost, type Foreign, type InlineHook, type TestScope } from '../../support/hook-host';

/** An agent that takes every answer and gives it back as JSON. */
export function plainContract(id: AgentId, changes: Partial<AgentContract> = {}): AgentContract {
  return {
    id,
    name: AGENT_NAMES[id],
    testedVersion: '1.0.0',
    package: id,
    asks: id !== 'codex',
    events: [
      { name: 'PreToolUse', type: 'tool_call', gates: true },
      { name: 'UserPromptSubmit', type: 'prompt', gates: true },
    ],
    read: () => {
      throw new Error('These tests make events themselves.');
    },
    write: (_event, answer) => ({
      output: Object.keys(answer).length === 0 ? '' : JSON.stringify(answer),
      unsupported: [],
    }),
    refuse: (_name, reason) => JSON.stringify({ deny: reason }),
    ...changes,
  };
}

type Given<T extends GuardedEvent['type']> = Partial<Extract<GuardedEvent, { readonly type: T }>>;
const BASE = { agent: 'claude', sessionId: 's1', cwd: '/work' } as const;

export function callOf(toolName: string, input: Record<string, unknown>, given: Given<'tool_call'> = {}): GuardedEvent {
  const calls = [{ toolName, input }];
  const original = { name: toolName, input };
  return { ...BASE, name: 'PreToolUse', type: 'tool_call', toolCallId: 't1', calls, original, ...given };
}

export function bash(command: string, given: Given<'tool_call'> = {}): GuardedEvent {
  return callOf('bash', { command }, given);
}

export function resultOf(call: GuardedEvent, text: string, given: Given<'tool_result'> = {}): GuardedEvent {
  if (call.type !== 'tool_call') throw new Error('Only calls have results.');
  return {
    ...call,
    name: 'PostToolUse',
    type: 'tool_result',
    text,
    isError: false,
    response: { stdout: text },
    ...given,
  };
}

export function promptOf(text: string, given: Given<'prompt'> = {}): GuardedEvent {
  return { ...BASE, name: 'UserPromptSubmit', type: 'prompt', text, ...given };
}

export function stopOf(given: Given<'stop'> = {}): GuardedEvent {
  return { ...BASE, name: 'Stop', type: 'stop', isContinued: false, ...given };
}

export function subagentStopOf(subagent?: GuardedEvent['subagent']): GuardedEvent {
  return { ...BASE, name: 'SubagentStop', type: 'subagent_stop', ...(subagent === undefined ? {} : { subagent }) };
}

export function startOf(given: Given<'session_start'> = {}): GuardedEvent {
  return { ...BASE, name: 'SessionStart', type: 'session_start', reason: 'startup', ...given };
}

export function endOf(given: Given<'session_end'> = {}): GuardedEvent {
  return { ...BASE, name: 'SessionEnd', type: 'session_end', reason: 'exit', ...given };
}

export interface RigOptions extends Partial<GuardedFolderParts> {
  readonly host?: Partial<HookHostOptions<TestScope>>;
  readonly contract?: Partial<AgentContract>;
  /** Answers to questions, in order; with none left, a question stays open. */
  readonly answers?: readonly Answer[];
}

/** A folder with hooks that guards agents, and a person who answers from a list. */
export class GuardRig {
  readonly host: TestHost;
  readonly folder: GuardedFolder;
  readonly dialogs = new DialogQueue();
  readonly asked: Question[] = [];
  readonly notices: string[] = [];
  readonly noEffects: string[] = [];
  readonly noted: GuardRecord[] = [];
  private readonly answers: Answer[];

  constructor(hooks: readonly InlineHook[], { host = {}, contract = {}, answers = [], ...parts }: RigOptions = {}) {
    this.host = new TestHost(hooks, host);
    this.answers = [...answers];
    this.dialogs.addView({
      show: (question, answer) => {
        this.asked.push(question);
        if (this.answers.length > 0) answer(this.answers.shift());
        return { dispose: () => undefined };
      },
    });
    this.host.host.onNoEffect(({ hookPath, member, agent }) => this.noEffects.push(`${hookPath} ${member} ${agent}`));
    this.folder = new GuardedFolder({
      hooks: this.host.host,
      cwd: '/work',
      dialogs: this.dialogs,
      canAsk: () => true,
      front: { notify: message => void this.notices.push(message), setStatus: () => undefined },
      models: {},
      contractOf: id => plainContract(id, contract),
      isTrusted: () => true,
      guardedFiles: () => undefined,
      heldFiles: { putBack: () => Promise.resolve([]), onDidPutBack: () => toDisposable(() => undefined) },
      note: record => void this.noted.push(record),
      log: silentLog,
      processOf: () => undefined,
      ...parts,
    });
  }

  async reply(event: GuardedEvent, signal: AbortSignal = new AbortController().signal): Promise<AgentReply> {
    return this.folder.handle(event, callFor(event), signal);
  }

  /** The answer to an event; empty: no decision. */
  async answer(event: GuardedEvent): Promise<EventAnswer> {
    const { output } = await this.reply(event);
    return output === '' ? {} : (JSON.parse(output) as EventAnswer);
  }
}

export async function rigWith(hooks: readonly InlineHook[], options: RigOptions = {}): Promise<GuardRig> {
  const rig = new GuardRig(hooks, options);
  await rig.host.host.reload();
  return rig;
}

export function callFor({ agent, name, cwd }: GuardedEvent): AgentCall {
  return { agent, event: name, payload: '{}', parentPid: 0, cwd, variables: {} };
}

/** A hook that writes down each event that it gets. */
export function listener(seen: string[], dialect: 'ext' | 'omp' | 'v1' = 'ext'): InlineHook {
  return hook(dialect, pi => {
    const note = (text: string) => void seen.push(text);
    if (dialect === 'v1') pi.on('session', (event: Foreign) => note(`session ${String(event.reason)}`));
    else pi.on('session_start', (event: Foreign) => note(`start ${String(event.reason)}`));
    pi.on('input', (event: Foreign) => note(`input ${String(event.text)}`));
    pi.on('before_agent_start', (event: Foreign) => note(`before ${String(event.prompt)}`));
    pi.on('agent_start', () => note('agent_start'));
    pi.on('tool_execution_start', (event: Foreign) => note(`begins ${String(event.toolCallId)}`));
    pi.on('tool_call', (event: Foreign) => note(`call ${String(event.toolName)} ${JSON.stringify(event.input)}`));
    pi.on('tool_result', (event: Foreign) =>
      note(`result ${String(event.toolCallId)} ${String(event.content[0].text)}`),
    );
    pi.on('tool_execution_end', (event: Foreign) => note(`ends ${String(event.toolCallId)} ${String(event.isError)}`));
    pi.on('agent_end', (event: Foreign) =>
      note(`agent_end ${event.messages.map(({ role }: Foreign) => String(role)).join(' ')}`),
    );
    pi.on('session_stop', (event: Foreign) => note(`stop ${String(event.stop_hook_active)}`));
    pi.on('agent_settled', () => note('settled'));
    pi.on('session_before_compact', (event: Foreign) => note(`compact ${String(event.reason)}`));
    pi.on('session_compact', () => note('compacted'));
    pi.on('session_shutdown', (event: Foreign) => note(`shutdown ${String(event.reason)}`));
  });
}
