import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runProcess, type ProcessEnd } from '../../agent/tools/shell/process';
import { newMark, withMark } from '../../base/ending/mark';
import { endMarked } from '../../base/ending/started-tree';
import { clipped } from '../../base/text/clipped';
import { singleLine } from '../../base/text/single-line';
import { FIRED_AGENTS, type FiredId } from './fired-agents';
import { ModelServer } from './model-server';

/** The program of an agent on this machine. */
export interface AgentProgram {
  readonly command: string;
  /** Before the agent's own arguments, where a program runs it. */
  readonly args?: readonly string[];
}

export interface FireOptions {
  readonly program: AgentProgram;
  /** The environment of the user; the agent is started in it as configured. */
  readonly env: NodeJS.ProcessEnv;
  /**
   * Orders the host to deny the tool calls of a folder with this reason, until `end` is called. Rejects when there is no host.
   */
  readonly denyIn: (folder: string, reason: string) => Promise<{ end(): void }>;
  readonly signal?: AbortSignal;
  /** Milliseconds that the agent may take. */
  readonly timeoutMs?: number;
}

export interface FireResult {
  /** `unknown`: neither was the command run, nor did the denial reach the model. */
  readonly verdict: 'blocked' | 'ran' | 'unknown';
  /** A sentence that says by what this was seen. */
  readonly reason: string;
  /** What the agent itself keeps of the start. */
  readonly leaves: readonly string[];
}

/** Name of the folder that the harmless command makes; the command is the same in each shell. */
const MARKER = 'ran';
const TIMEOUT_MS = 60_000;
/** How long the agent's processes have, in ms, when they are asked to end. */
const GRACE_MS = 1000;
const PROMPT = 'Hookline checks whether its hooks guard this agent. Call the tool as the model says, then stop.';
/** So much of what the agent printed is shown, in characters. */
const SHOWN = 300;

/**
 * Starts an agent as it is installed and configured, in an empty folder, with a model that asks for one harmless command, which
 * the host denies. Ends all processes that it started. Rejects when the host takes no order or the disk is full.
 */
export async function fireAt(agent: FiredId, options: FireOptions): Promise<FireResult> {
  const fired = FIRED_AGENTS[agent];
  const nonce = `hookline-check-${randomBytes(8).toString('hex')}`;
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'hookline-check-')));
  const own = await mkdtemp(join(tmpdir(), 'hookline-check-own-'));
  const call = fired.shellCall(`mkdir ${MARKER}`);
  const model = await ModelServer.start(({ tools, results }) =>
    'tool' in call && tools.includes(call.tool) && results.length === 0 ? call : { text: 'That was all.' },
  );
  try {
    const order = await options.denyIn(folder, `Hookline denied this call, since it is a check (${nonce}).`);
    try {
      await writeFiles(own, fired.files?.(model.url) ?? {});
      const { end, output } = await run(agent, { url: model.url, own, cwd: folder }, options);
      const hasRun = existsSync(join(folder, MARKER));
      const noted = fired.denialsIn === undefined ? '' : await textOf(join(own, fired.denialsIn));
      return { ...verdictOf({ hasRun, nonce, model, noted, end, output }), leaves: fired.leaves };
    } finally {
      order.end();
    }
  } finally {
    await model.stop();
    for (const path of [folder, own]) await rm(path, { recursive: true, force: true });
  }
}

async function run(
  agent: FiredId,
  { url, own, cwd }: { readonly url: string; readonly own: string; readonly cwd: string },
  { program, env, signal, timeoutMs = TIMEOUT_MS }: FireOptions,
): Promise<{ readonly end: ProcessEnd; readonly output: string }> {
  const fired = FIRED_AGENTS[agent];
  const mark = newMark();
  let output = '';
  const take = (chunk: Buffer): void => {
    output = (output + chunk.toString('utf8')).slice(-SHOWN);
  };
  const end = await runProcess({
    command: program.command,
    args: [...(program.args ?? []), ...fired.args(PROMPT, url, own)],
    cwd,
    // As a shell sets PWD: opencode works in the folder that it names.
    env: { ...env, PWD: cwd, ...fired.env(url, own), ...withMark(mark) },
    signal,
    timeoutMs,
    graceMs: GRACE_MS,
    onStdout: take,
    onStderr: take,
  });
  await endMarked(mark, GRACE_MS);
  return { end, output: singleLine(output) };
}

async function writeFiles(folder: string, texts: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(texts)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => ''); // An agent that did not get so far has not written it.
}

interface Seen {
  readonly hasRun: boolean;
  readonly nonce: string;
  readonly model: ModelServer;
  /** What the agent noted of denials. */
  readonly noted: string;
  readonly end: ProcessEnd;
  /** The end of what the agent printed. */
  readonly output: string;
}

function verdictOf({ hasRun, nonce, model, noted, end, output }: Seen): Pick<FireResult, 'verdict' | 'reason'> {
  if (hasRun) return { verdict: 'ran', reason: 'The command was run although Hookline denies it.' };
  const result = model.requests.flatMap(({ results }) => results).at(-1);
  if (result?.includes(nonce) === true) {
    return { verdict: 'blocked', reason: "The command was not run, and the model got Hookline's reason." };
  }
  if (noted.includes(nonce)) {
    return {
      verdict: 'blocked',
      reason: "The command was not run, and the agent ended its run for Hookline's reason.",
    };
  }
  if (result !== undefined) {
    return unknown(
      `The command was not run, but not because of Hookline. The model got: ${clipped(singleLine(result), SHOWN)}`,
    );
  }
  if (end.kind === 'failed') return unknown(`The agent could not be started: ${end.error.message}`);
  if (end.kind !== 'exited') return unknown(`The agent did not end in time. It printed: ${output}`);
  const asked = model.requests.length > 0 ? 'asked the model but called no tool' : 'did not ask the model';
  return unknown(`The agent ${asked} and ended with exit code ${end.code}. It printed: ${output}`);
}

function unknown(reason: string): Pick<FireResult, 'verdict' | 'reason'> {
  return { verdict: 'unknown', reason };
}
