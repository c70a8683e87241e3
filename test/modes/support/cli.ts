import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildCommandLine } from '../../../scripts/build/command-line.ts';
import { OUT } from '../../../scripts/support/paths.ts';
import { trustFolder, withoutKeys } from '../../../scripts/support/test-place.ts';
import { readProcessTable } from '../../../src/base/ending/process-table';
import { WITHOUT_PARENTS, withoutAgentMarks } from '../../support/as-person';
import type { ScriptedLlm } from '../../support/scripted-llm';

/** A start makes much garbage; with more room for it, Node collects it less often and needs a tenth less CPU time. */
const ROOM = '--min-semi-space-size=16';

/** Nothing here may take longer, ms; only reached when something hangs. */
const GUARD_MS = 50_000;

let building: Promise<string> | undefined;

/** The path of the built cli.js. The unit suite names one; without it, the command line is built once in this process. */
export function builtCli(): Promise<string> {
  const named = process.env['HOOKLINE_TEST_CLI'];
  building ??= named === undefined ? build() : Promise.resolve(named);
  return building;
}

async function build(): Promise<string> {
  // Parts of a suite run beside each other, each with a build of its own.
  const home = join(OUT, `cli-under-test-${process.pid}`);
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  return buildCommandLine(home, { production: true });
}

/** How a finished process looked from outside. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Piped into stdin, which is then closed. */
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Started there instead of in the place's own folder. */
  readonly cwd?: string;
  /** Another Node than the one that runs the tests. */
  readonly node?: string;
  /** Another command line than ours, such as that of the real pi. */
  readonly cli?: string;
}

/** Which command line a case runs in, and in which surroundings. */
export type Program = Pick<RunOptions, 'cli' | 'env'>;

/** A folder to work in, which is trusted, with an agent folder of its own, and the processes that were started there. */
export class CliPlace {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'hookline cli ü-')));
  readonly cwd = join(this.root, 'work');
  readonly agentDir = join(this.root, 'agent');
  /** Shells take only letters, digits and underscores in names of variables. */
  private readonly mark = `HOOKLINE_TEST_${randomUUID().replaceAll('-', '')}`;
  private readonly started: ChildProcessWithoutNullStreams[] = [];

  private constructor(private readonly cli: string) {
    mkdirSync(this.cwd);
    mkdirSync(this.agentDir);
    trustFolder(this.agentDir, this.cwd);
  }

  static async make(): Promise<CliPlace> {
    return new CliPlace(await builtCli());
  }

  /** Writes a file below the place's root and returns its path. */
  file(path: string, text: string): string {
    const full = join(this.root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  }

  /** Removes the decision that the folder is trusted. */
  leaveUndecided(): void {
    rmSync(join(this.agentDir, 'trust.json'));
  }

  hook(name: string, text: string): string {
    return this.file(join('work', '.pi', 'hooks', name), text);
  }

  /** Makes the models of a scripted server known, as `scripted/<id>`, the first being the default. */
  useLlm(llm: ScriptedLlm, settings: object = {}, models: readonly object[] = [{ id: 'one' }, { id: 'two' }]): void {
    const { baseUrl, api } = llm.model('anthropic-messages');
    const whole = models.map(model => ({ reasoning: true, contextWindow: 200_000, maxTokens: 8192, ...model }));
    const provider = { baseUrl, api, apiKey: llm.apiKey, models: whole };
    this.file('agent/models.json', JSON.stringify({ providers: { scripted: provider } }));
    const defaults = { defaultProvider: 'scripted', defaultModel: 'one', retry: { baseDelayMs: 10 } };
    this.file('agent/settings.json', JSON.stringify({ ...defaults, ...settings }));
  }

  get env(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      ...withoutKeys(),
      ...withoutAgentMarks(),
      HOME: this.root,
      USERPROFILE: this.root,
      XDG_CACHE_HOME: join(OUT, 'cli-cache'),
      PI_CODING_AGENT_DIR: this.agentDir,
      [this.mark]: '1',
    };
  }

  get cliPath(): string {
    return this.cli;
  }

  start(args: readonly string[], options: Omit<RunOptions, 'stdin'> = {}): ChildProcessWithoutNullStreams {
    const child = spawn(
      options.node ?? process.execPath,
      [ROOM, ...WITHOUT_PARENTS, options.cli ?? this.cli, ...args],
      {
        cwd: options.cwd ?? this.cwd,
        env: { ...this.env, ...options.env },
      },
    );
    this.started.push(child);
    return child;
  }

  /** Runs the command line to its end. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    const child = this.start(args, options);
    child.stdin.end(options.stdin ?? '');
    return ended(child);
  }

  /** Entries of the only session file, without its header; every line must be whole. */
  entries(): readonly { readonly type: string; readonly [member: string]: unknown }[] {
    const [file] = this.sessionFiles();
    if (file === undefined) return [];
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    return lines.slice(1).map(line => JSON.parse(line) as { type: string });
  }

  sessionFiles(): readonly string[] {
    const folder = join(this.agentDir, 'sessions');
    if (!existsSync(folder)) return [];
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.jsonl'))
      .map(name => join(folder, name));
  }

  /** Living processes that grew from this place, whoever their parent is by now. */
  async processes(): Promise<readonly number[]> {
    const table = await readProcessTable();
    return (table?.rows ?? []).filter(row => table?.flagsOf(row).includes(this.mark)).map(({ pid }) => pid);
  }

  /** Ends what processes of this place left, such as one that was killed. Returns how many it ended. */
  async endLeft(): Promise<number> {
    const ended = new Set<number>();
    await until(async () => {
      const left = await this.processes();
      for (const pid of left) {
        ended.add(pid);
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended meanwhile.
        }
      }
      return left.length === 0;
    }, 'what is left to end');
    return ended.size;
  }

  async remove(): Promise<void> {
    for (const child of this.started) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await ended(child);
    }
    if (this.started.some(({ signalCode }) => signalCode === 'SIGKILL')) await this.endLeft();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Collects what a process says and resolves when it has ended. Rejects, killing it, when that takes too long. */
export function ended(child: ChildProcessWithoutNullStreams, limitMs = GUARD_MS): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    const guard = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`still running\nstdout: ${stdout.slice(-2000)}\nstderr: ${stderr.slice(-2000)}`));
    }, limitMs);
    child.once('error', reject);
    child.once('close', code => {
      clearTimeout(guard);
      resolve({ code, stdout, stderr });
    });
  });
}

/** Asks until the answer is yes; rejects after the guard's time. What takes long to ask, such as a list of processes, is asked rarely. */
export async function until(ask: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + GUARD_MS;
  for (;;) {
    const before = performance.now();
    if (await ask()) return;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    const took = performance.now() - before;
    await new Promise(resolve => setTimeout(resolve, Math.max(5, 4 * took)));
  }
}

/** A Node that is too old for the command line, which the suite brings; undefined on systems for which npm has none. */
export function tooOldNode(): string | undefined {
  return process.env['HOOKLINE_TEST_OLD_NODE'];
}
