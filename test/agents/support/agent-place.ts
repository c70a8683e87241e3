import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { ApprovalStore } from '../../../src/gate/approval-store/approval-store';
import { FIRED_AGENTS } from '../../../src/guard/fire/fired-agents';
import { ModelServer, type RecordedRequest } from '../../../src/guard/fire/model-server';
import type { ModelTurn } from '../../../src/guard/fire/model-turn';
import { readEndpoint, type Endpoint } from '../../../src/guard/protocol/endpoint';
import { guardPlace, type GuardPlace } from '../../../src/guard/protocol/place';
import { stateFolder } from '../../../src/startup/own-folders';
import { CliPlace, ended, type Ended } from '../../modes/support/cli';
import type { RealAgent } from './real-agents';

/** Agents that are scripts get the Node of the tests: the one of the system may be too old for them. */
const NODE_PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);

/** How long an agent may run, ms: on a busy machine, some need a minute to start. */
const LIMIT_MS = 100_000;

const PROMPT = 'Do as the model says.';

export interface AgentRunOptions {
  readonly prompt?: string;
  /** What the model says to a subagent. */
  readonly subTurns?: readonly ModelTurn[];
  /** More arguments of the agent. */
  readonly args?: readonly string[];
  /** More variables of the agent. */
  readonly env?: Readonly<Record<string, string>>;
  /** Called when the model is first asked: the agent has started, and its prompt was let through. */
  readonly onAsked?: () => void;
}

/** A real agent that runs, with a model that says the turns one after the other. */
export class AgentRun {
  /** Resolves when the agent has ended. */
  readonly ended: Promise<Ended>;
  /** What the agent printed until its end. */
  printed = '';

  constructor(
    child: ChildProcessWithoutNullStreams,
    readonly model: ModelServer,
    private readonly prompt: string,
  ) {
    child.stdin.end();
    this.ended = ended(child, LIMIT_MS)
      .then(end => {
        this.printed = `${end.stdout}${end.stderr}`;
        return end;
      })
      .finally(() => model.stop());
  }

  /** The results of calls that the model got in the main conversation, oldest first. */
  get results(): readonly string[] {
    const requests = this.model.requests.filter(request => isMain(request, this.prompt));
    return requests.at(-1)?.results ?? [];
  }

  /** The newest of them; empty without one. */
  get result(): string {
    return this.results.at(-1) ?? '';
  }

  /** The results that the model got in the conversations of subagents. */
  get subResults(): readonly string[] {
    return this.model.requests.filter(request => !isMain(request, this.prompt)).flatMap(({ results }) => results);
  }

  hasSeen(text: string): boolean {
    return this.model.hasSeen(text);
  }
}

/** A fresh home folder with a project, in which a real agent runs with our hooks. */
export class AgentPlace {
  /** Programs that run others where they see another `/etc`; see {@link useOwnSystem}. */
  private inOwnSystem: { readonly any: string; readonly node: string } | undefined;

  private constructor(
    readonly agent: RealAgent,
    readonly cli: CliPlace,
  ) {}

  static async make(agent: RealAgent): Promise<AgentPlace> {
    return new AgentPlace(agent, await CliPlace.make());
  }

  get guard(): GuardPlace {
    return guardPlace(stateFolder(this.cli.env, process.platform, this.cli.root));
  }

  /** The call of the agent's tool for commands. */
  shell(command: string): ModelTurn {
    return FIRED_AGENTS[this.agent.id].shellCall(command);
  }

  /** Whether a command has made this in the project. */
  hasMade(name: string): boolean {
    return existsSync(join(this.cli.cwd, name));
  }

  /** Whether what changes now counts as a change by the agent. */
  hasOpenCalls(): boolean {
    const { agentDir, cwd, env, root } = this.cli;
    const stateDir = stateFolder(env, process.platform, root);
    return new ApprovalStore({ stateDir, agentDir, cwd }).runsAtCall('folder').length > 0;
  }

  /** From now on, the agent and `hookline` have a copy of the machine's `/etc`, which they can change. */
  useOwnSystem(): void {
    const etc = join(this.cli.root, 'etc');
    mkdirSync(etc);
    spawnSync('cp', ['-a', '/etc/.', etc]); // What this user cannot read is not needed.
    const script = (name: string, text: string): string => {
      const path = this.cli.file(name, `#!/bin/sh\n${text} "$@"\n`);
      chmodSync(path, 0o755);
      return path;
    };
    const any = script('system', `exec unshare --mount sh -c 'mount --bind "$0" /etc && exec "$@"' '${etc}'`);
    this.inOwnSystem = { any, node: script('node-in-system', `exec '${any}' '${process.execPath}'`) };
  }

  /** Runs `hookline` to its end, with the agent on `PATH`. */
  command(...args: readonly string[]): Promise<Ended> {
    const PATH = [dirname(this.agent.program), NODE_PATH].join(delimiter);
    const node = this.inOwnSystem === undefined ? {} : { node: this.inOwnSystem.node };
    return this.cli.run(args, { env: { PATH }, ...node });
  }

  /** The same. @throws {Error} with what it printed when it fails */
  async hookline(...args: readonly string[]): Promise<Ended> {
    const result = await this.command(...args);
    if (result.code !== 0) throw new Error(`hookline ${args.join(' ')}: ${result.stdout}${result.stderr}`);
    return result;
  }

  /** What is in the home folder beside the project and Hookline's own files: relative paths, and what shows a change of a file. */
  home(): ReadonlyMap<string, string> {
    const paths = readdirSync(this.cli.root, { recursive: true, encoding: 'utf8' });
    const own = paths.filter(path => !/^(?:work|agent|etc|\.local)(?:$|\/)/.test(path));
    return new Map(
      own.map(path => {
        const info = lstatSync(join(this.cli.root, path));
        return [path, info.isDirectory() ? 'a folder' : `${info.mtimeMs} ${info.size}`];
      }),
    );
  }

  /** Starts the agent in the project. */
  async start(turns: readonly ModelTurn[], options: AgentRunOptions = {}): Promise<AgentRun> {
    const { prompt = PROMPT, subTurns = [], args = [], env: more = {}, onAsked } = options;
    let isAsked = false;
    const model = await ModelServer.start(request => {
      if (!isAsked) onAsked?.();
      isAsked = true;
      // Agents also ask for titles and the like, without tools.
      if (request.tools.length === 0) return { text: 'a title' };
      return (isMain(request, prompt) ? turns : subTurns)[request.results.length] ?? { text: 'done' };
    });
    const { id, program } = this.agent;
    const fired = FIRED_AGENTS[id];
    const own = join(this.cli.root, 'agent', 'fired');
    for (const [name, text] of Object.entries(fired.files?.(model.url) ?? {})) {
      this.cli.file(`agent/fired/${name}`, text);
    }
    // As a shell sets PWD: opencode works in the folder that it names.
    const env = { ...this.cli.env, PATH: NODE_PATH, PWD: this.cli.cwd, ...fired.env(model.url, own), ...more };
    const line = [program, ...fired.args(prompt, model.url, own), ...this.agent.args, ...args];
    const [file = '', ...rest] = this.inOwnSystem === undefined ? line : [this.inOwnSystem.any, ...line];
    const child = spawn(file, rest, { cwd: this.cli.cwd, env });
    return new AgentRun(child, model, prompt);
  }

  /** Runs the agent to its end. */
  async run(turns: readonly ModelTurn[], options: AgentRunOptions = {}): Promise<AgentRun> {
    const run = await this.start(turns, options);
    await run.ended;
    return run;
  }

  /** @throws {Error} when no host runs */
  get host(): Endpoint {
    const endpoint = readEndpoint(this.guard);
    if (endpoint === undefined) throw new Error('no host runs');
    return endpoint;
  }

  /** Starts a host, which the first call of an agent would do, too. */
  async startHost(): Promise<Endpoint> {
    await this.hookline('guard', 'start');
    return this.host;
  }

  /** Makes it impossible that clients start a host. */
  breakProgram(): void {
    const none = join(this.cli.root, 'none');
    writeFileSync(this.guard.program, `node ${none}\ncli ${none}.js\n`);
  }

  /** Lets clients give up after a second, and not shortly before the agent does. */
  makeImpatient(): void {
    const text = readFileSync(this.guard.client, 'utf8');
    const changed = text.replaceAll(/LIMIT=\d+ /g, 'LIMIT=1 ');
    if (changed === text) throw new Error('the client has another limit');
    writeFileSync(this.guard.client, changed);
  }

  async remove(): Promise<void> {
    await this.cli.endLeft();
    await this.cli.remove();
  }
}

function isMain({ body }: RecordedRequest, prompt: string): boolean {
  return JSON.stringify(body).includes(prompt);
}
