import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseObject } from '../../src/base/json/parse-object';
import { installClient } from '../../src/guard/client/install-client';
import { guardPlace, type GuardPlace } from '../../src/guard/protocol/place';
import type { GuardProgram } from '../../src/guard/protocol/program';
import { BadPayloadError, type AgentContract } from '../../src/guard/agents/agent';
import type { AgentId } from '../../src/guard/protocol/agent-call';

/** The clients lie below it as below the folder of our own code. */
export const OWN_CODE = resolve('src');
export const CLIENT_KINDS = ['bash', 'node'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

/** A guard folder with both clients, in a new temporary folder. */
export async function newGuardPlace(
  name = 'state',
  program: GuardProgram = { node: process.execPath, cli: '/missing/cli.js', variables: {} },
): Promise<GuardPlace> {
  const place = guardPlace(join(realpathSync(mkdtempSync(join(tmpdir(), 'guard-'))), name));
  await installClient(place, OWN_CODE, program);
  return place;
}

export interface ClientRun {
  readonly stdout: string;
  readonly code: number | null;
}

export interface ClientOptions {
  readonly kind?: ClientKind;
  readonly agent?: AgentId;
  readonly event?: string;
  readonly payload?: string | Buffer;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
}

/** Runs a client as an agent does. */
export function runClient(place: GuardPlace, options: ClientOptions = {}): Promise<ClientRun> {
  const { kind = 'bash', agent = 'claude', event = 'PreToolUse', payload = '{}', cwd, env = {}, signal } = options;
  const [file, first] = kind === 'bash' ? ['bash', ['-p', place.client]] : [process.execPath, [place.nodeClient]];
  return new Promise((resolveRun, reject) => {
    const child = spawn(file, [...first, agent, event], {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    signal?.addEventListener('abort', () => child.kill('SIGKILL'));
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', text => (stdout += String(text)));
    child.stdin.on('error', () => undefined);
    child.on('error', reject);
    child.on('close', code => resolveRun({ stdout, code }));
    child.stdin.end(payload);
  });
}

/** The reason that a client's or the host's refusal gives; undefined when the output is none for this event. */
export function refusalIn(output: string, event = 'PreToolUse'): string | undefined {
  const answer = parseObject(output) as
    | {
        readonly decision?: unknown;
        readonly reason?: string;
        readonly continue?: unknown;
        readonly stopReason?: string;
        readonly cancel?: unknown;
        readonly errorMessage?: string;
        readonly permission?: unknown;
        readonly user_message?: string;
        readonly agent_message?: string;
        readonly updated_mcp_tool_output?: { readonly content?: readonly { readonly text?: string }[] };
        readonly hookSpecificOutput?: Readonly<Record<string, string>>;
      }
    | undefined;
  if (answer?.continue === false) return answer.stopReason ?? answer.user_message;
  if (answer?.cancel === true) return answer.errorMessage;
  if (answer?.permission === 'deny') return answer.agent_message;
  const [withheld] = answer?.updated_mcp_tool_output?.content ?? [];
  if (withheld !== undefined) return withheld.text;
  if (event !== 'PreToolUse') return isBlock(answer?.decision) ? answer?.reason : undefined;
  const { hookEventName, permissionDecision, permissionDecisionReason } = answer?.hookSpecificOutput ?? {};
  return hookEventName === event && permissionDecision === 'deny' ? permissionDecisionReason : undefined;
}

function isBlock(decision: unknown): boolean {
  return decision === 'block' || decision === 'deny';
}

/** A contract that is like those of agents, with little in it. */
export function plainContract(id: AgentId): AgentContract {
  const refuse = (name: string, reason: string): string => {
    if (name === 'PreToolUse') {
      const decision = { hookEventName: name, permissionDecision: 'deny', permissionDecisionReason: reason };
      return JSON.stringify({ hookSpecificOutput: decision });
    }
    return name === 'PostToolUse' || name === 'UserPromptSubmit' ? JSON.stringify({ decision: 'block', reason }) : '';
  };
  return {
    ...{ id, name: id, testedVersion: '1', package: id, asks: false, refuse },
    events: [{ name: 'PreToolUse', type: 'tool_call', gates: true }],
    read: call => {
      const payload = parseObject(call.payload);
      if (payload === undefined) throw new BadPayloadError(`${id}: ${call.event}: the payload is no JSON object`);
      const { session, project, command, toolCallId } = payload as Readonly<Record<string, string | undefined>>;
      const base = {
        ...{ agent: id, name: call.event, sessionId: session ?? 's1', cwd: call.cwd },
        ...(project === undefined ? {} : { projectDir: project }),
      };
      if (call.event !== 'PreToolUse') {
        return { ...base, type: call.event === 'UserPromptSubmit' ? 'prompt' : 'other', text: '' };
      }
      const input = { command: command ?? '' };
      const original = { name: 'Bash', input };
      return {
        ...base,
        type: 'tool_call',
        toolCallId: toolCallId ?? 't1',
        calls: [{ toolName: 'bash', input }],
        original,
      };
    },
    write: (event, { deny }) => ({ output: deny === undefined ? '' : refuse(event.name, deny), unsupported: [] }),
  };
}
