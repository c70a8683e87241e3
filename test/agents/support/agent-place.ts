import { delimiter, dirname } from 'node:path';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { FIRED_AGENTS } from '../../../src/guard/fire/fired-agents';
import { ModelServer, type ModelRequest } from '../../../src/guard/fire/model-server';
import type { ModelTurn } from '../../../src/guard/fire/model-turn';
import { readEndpoint, type Endpoint } from '../../../src/guard/protocol/endpoint';
import { guardPlace, type GuardPlace } from '../../../src/guard/protocol/place';
import { stateFolder } from '../../../src/startup/own-folders';
import { CliPlace, ended, until, type Ended } from '../../modes/support/cli';
import type { RealAgent } from './real-agents';

const PROMPT = 'Do as the model says.';

export interface AgentRunOptions {
  readonly prompt?: string;
  /** What the model says to a subagent. */
  readonly subTurns?: readonly ModelTurn[];
  /** More arguments of the agent. */
  readonly args?: readonly string[];
}

/** A real agent that runs, with a model that says the turns one after the other. */
export class AgentRun {
  /** Resolves when the agent has ended. */
  readonly ended: Promise<Ended>;

  constructor(
    child: ChildProcessWithoutNullStreams,
    readonly model: ModelServer,
    private readonly prompt: string,
  ) {
    child.stdin.end();
    this.ended = ended(child).finally(() => model.stop());
  }

  /** The results of calls that the model got in the main conversation, oldest first. */
  get results(): readonly string[] {
    const requests = this.model.requests.filter(request => isMain(request, this.prompt));
    return requests.at(-1)?.results ?? [];
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

  get endpoint(): Endpoint | undefined {
    return readEndpoint(this.guard);
  }

  /** Runs `hookline` to its end, with the agent on `PATH`. */
  command(...args: readonly string[]): Promise<Ended> {
    const PATH = [dirname(this.agent.program), process.env['PATH']].join(delimiter);
    return this.cli.run(args, { env: { PATH } });
  }

  /** The same. @throws {Error} with what it printed when it fails */
  async hookline(...args: readonly string[]): Promise<Ended> {
    const result = await this.command(...args);
    if (result.code !== 0) throw new Error(`hookline ${args.join(' ')}: ${result.stdout}${result.stderr}`);
    return result;
  }

  /** Starts the agent in the project. */
  async start(turns: readonly ModelTurn[], options: AgentRunOptions = {}): Promise<AgentRun> {
    const { prompt = PROMPT, subTurns = [], args = [] } = options;
    const model = await ModelServer.start(request => {
      // Agents also ask for titles and the like, without tools.
      if (request.tools.length === 0) return { text: 'a title' };
      return (isMain(request, prompt) ? turns : subTurns)[request.results.length] ?? { text: 'done' };
    });
    const { id, program } = this.agent;
    const fired = FIRED_AGENTS[id];
    const env = { ...this.cli.env, ...fired.env(model.url) };
    const child = spawn(program, [...fired.args(prompt, model.url), ...this.agent.args, ...args], {
      cwd: this.cli.cwd,
      env,
    });
    return new AgentRun(child, model, prompt);
  }

  /** Runs the agent to its end. */
  async run(turns: readonly ModelTurn[], options: AgentRunOptions = {}): Promise<AgentRun> {
    const run = await this.start(turns, options);
    await run.ended;
    return run;
  }

  /** Kills the host at once and resolves when it has ended. */
  async killHost(): Promise<void> {
    const { endpoint } = this;
    if (endpoint === undefined) throw new Error('no host runs');
    process.kill(endpoint.pid, 'SIGKILL');
    await until(async () => !(await this.cli.processes()).includes(endpoint.pid), 'the host to end');
  }

  async remove(): Promise<void> {
    await this.cli.endLeft();
    await this.cli.remove();
  }
}

function isMain({ body }: ModelRequest, prompt: string): boolean {
  return JSON.stringify(body).includes(prompt);
}
