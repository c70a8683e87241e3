import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { bench, benchCase, type BenchRow, type Figures } from '../support/bench';
import { peerFolder } from '../support/bench-peer';
import { ProgramPlace, programs, type Program } from '../support/bench-program';
import { ScriptedLlm } from '../support/scripted-llm';

type Json = Readonly<Record<string, unknown>>;

/** How a program is started in its place. */
type StartOf = (place: ProgramPlace) => { readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv };

/** An agent of an editor, asked by the lines of the Agent Client Protocol. */
class Agent {
  private readonly waiting = new Map<unknown, (message: Json) => void>();
  private onUpdate: (update: Json) => void = () => undefined;
  private lastId = 0;
  private rest = '';

  constructor(readonly process: ChildProcessWithoutNullStreams) {
    process.stderr.resume();
    process.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (this.rest + text).split('\n');
      this.rest = lines.pop() ?? '';
      for (const line of lines) this.take(JSON.parse(line) as Json);
    });
  }

  /** @throws {Error} when the agent answers with an error */
  async ask(method: string, params: object): Promise<Json> {
    const id = (this.lastId += 1);
    const answer = new Promise<Json>(resolve => this.waiting.set(id, resolve));
    this.send({ id, method, params });
    const { result, error } = await answer;
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return (result ?? {}) as Json;
  }

  send(message: object): void {
    this.process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Resolves when the model's text comes; adapters send texts of their own, too. */
  chunk(text: string): Promise<void> {
    return new Promise(resolve => {
      this.onUpdate = ({ sessionUpdate, content }) => {
        const { text: said } = (content ?? {}) as { readonly text?: string };
        if (sessionUpdate === 'agent_message_chunk' && said === text) resolve();
      };
    });
  }

  async end(): Promise<void> {
    const closed = once(this.process, 'close');
    this.process.stdin.end();
    await closed;
  }

  private take({ id, method, params, result, error }: Json): void {
    if (method === undefined) this.waiting.get(id)?.({ result, error });
    else if (method === 'session/update') this.onUpdate((params as { readonly update: Json }).update);
  }
}

/** Ours beside the adapter that pi's users have, over the pi that we follow. Without `--peers` there is no raw. */
function row(what: string, figure: string, unit: BenchRow['unit'], most?: number): BenchRow {
  const aim = { ratio: 1, ...(most === undefined ? {} : { figure: most }) };
  return { name: `an editor by ACP (raw: pi-acp over pi): ${what}`, figure, unit, aim };
}

const CLIENT = { protocolVersion: 1, clientCapabilities: {} };

await bench(
  benchCase({
    rows: [
      row('start to the answer of initialize', 'start', 'ms', 150),
      row('session/new', 'open', 'ms'),
      row('prompt to the first chunk', 'chunk', 'ms'),
      row('cancel in an answer to the answer of its prompt', 'cancel', 'ms', 500),
      row('a second session in the folder', 'second', 'ms', 60),
      row('memory of a second session in the folder', 'memory', 'MB', 15),
    ],
    measure: {
      raw: async () => {
        const adapter = peerFolder('pi-acp');
        const pi = programs().findLast(({ name }) => name.startsWith('pi '));
        if (adapter === undefined || pi === undefined) return {};
        return measuredAgain(pi, place => {
          const script = place.file('bin/pi', `#!/bin/sh\nexec "${process.execPath}" "${pi.cli}" "$@"\n`);
          chmodSync(script, 0o755);
          const PATH = [dirname(script), place.env['PATH']].join(delimiter);
          return { args: [join(adapter, 'dist', 'index.js')], env: { PATH } };
        });
      },
      ours: async () => {
        const [ours] = programs();
        if (ours === undefined) throw new Error('the bench has no command line');
        return measuredAgain(ours, () => ({ args: [ours.cli, 'acp'], env: {} }));
      },
    },
  }),
);

/** Measures a program where it ran before: what it compiles at its first start ever is kept there. */
async function measuredAgain(program: Program, startOf: StartOf): Promise<Figures> {
  const place = new ProgramPlace(program);
  try {
    await measured(place, startOf);
    return await measured(place, startOf);
  } finally {
    place.remove();
  }
}

async function measured(place: ProgramPlace, startOf: StartOf): Promise<Figures> {
  const llm = await ScriptedLlm.start();
  place.useLlm(llm);
  const { args, env } = startOf(place);
  const begin = performance.now();
  const agent = new Agent(spawn(process.execPath, args, { cwd: place.cwd, env: { ...place.env, ...env } }));
  try {
    await agent.ask('initialize', CLIENT);
    const start = performance.now() - begin;
    const session = { cwd: place.cwd, mcpServers: [] };
    const [open, sessionId] = await timed(async () => (await agent.ask('session/new', session))['sessionId']);
    const prompt = { sessionId, prompt: [{ type: 'text', text: 'go' }] };
    llm.reply({ text: 'done' });
    const first = agent.chunk('done');
    const answered = agent.ask('session/prompt', prompt);
    const [chunk] = await timed(() => first);
    await answered;
    const held = llm.hold({ text: ['some ', 'words ', 'more'] }, 2);
    const second = agent.ask('session/prompt', prompt);
    await held.reached;
    const [cancel] = await timed(() => {
      agent.send({ method: 'session/cancel', params: { sessionId } });
      return second;
    });
    held.release();
    const before = memoryOf(agent.process.pid);
    const [secondOpen] = await timed(() => agent.ask('session/new', session));
    const memory = memoryOf(agent.process.pid) - before;
    return { start, open, chunk, cancel, second: secondOpen, memory };
  } finally {
    await agent.end();
    await llm.stop();
  }
}

async function timed<T>(work: () => Promise<T>): Promise<readonly [ms: number, result: T]> {
  const begin = performance.now();
  const result = await work();
  return [performance.now() - begin, result];
}

/** Memory of a process and all that it started, in MB, as Linux counts it; pages that processes share count in parts. */
function memoryOf(pid: number | undefined): number {
  const [, kb = ''] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${String(pid)}/smaps_rollup`, 'utf8')) ?? [];
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8').trim();
  return children
    .split(' ')
    .filter(child => child !== '')
    .reduce((sum, child) => sum + memoryOf(Number(child)), Number(kb) / 1024);
}
