import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { packVsix } from '../../scripts/support/vsix.ts';
import type { RunProgram } from '../../scripts/vscode-server.ts';
import { sleeperSeconds } from '../agent/tools/fixture';

const FIXTURES = resolve('test/fixtures/bystanders');
const RECORDER = join(FIXTURES, 'recorder');
const NAMESPACE = ['--pid', '--fork', '--mount-proc', '--kill-child'];
const GUARD_MS = 50_000;

/** What is started among bystanders. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** How the program ended. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A bystander: a `sleep` of its own number of seconds. */
interface Bystander {
  readonly kind: string;
  readonly seconds: string;
}

/** How PID namespaces are made here: the arguments of `unshare`; undefined where it makes none. */
export function namespaceArguments(): readonly string[] | undefined {
  const ways = [NAMESPACE, ['--user', '--map-root-user', ...NAMESPACE]];
  return ways.find(way => spawnSync('unshare', [...way, 'true']).status === 0);
}

/**
 * A program that ends processes, in a PID namespace of its own with processes that it must not end: some older than it and
 * some younger, with an empty environment, with a full one, and with one that holds the names of our variables as values. A
 * fault ends only what is in there.
 *
 * Where no namespace can be made, the program runs beside the tests. Then its signals are recorded, and reach only processes
 * whose command line has one of the texts in `own`.
 */
export class AmongBystanders {
  private readonly folder = mkdtempSync(join(tmpdir(), 'hookline-bystanders-'));
  private readonly init: ChildProcess;
  private readonly bystanders: Bystander[] = [];
  private readonly answers = new Map<number, (result: unknown) => void>();
  private count = 0;
  private resolveEnd: (end: ProgramEnd) => void = () => undefined;
  /** Resolves when the program has ended. */
  readonly ended = new Promise<ProgramEnd>(resolve => (this.resolveEnd = resolve));

  private constructor(
    private readonly own: readonly string[],
    private readonly namespace: readonly string[] | undefined,
  ) {
    const init = [process.execPath, join(FIXTURES, 'init.mjs')] as const;
    const [file, ...args] = namespace === undefined ? init : (['unshare', ...namespace, ...init] as const);
    this.init = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe', 'ipc'] });
    this.init.on('message', message => this.take(message as Message));
  }

  /** `own`: texts in the command lines of what the program starts. `isNamespace`: false takes the way without one. */
  static async open(own: readonly string[], isNamespace = true): Promise<AmongBystanders> {
    const among = new AmongBystanders(own, isNamespace ? namespaceArguments() : undefined);
    await among.stand('older', []);
    return among;
  }

  get stdin(): Writable {
    return this.init.stdin!;
  }

  get stdout(): Readable {
    return this.init.stdout!;
  }

  get stderr(): Readable {
    return this.init.stderr!;
  }

  /** `recorded`: an argument of the program whose signals are recorded where there is no namespace. */
  async start({ file, args, cwd, env }: Program, recorded: string): Promise<void> {
    if (this.namespace !== undefined) {
      await this.tell('start', { file, args, cwd, env });
      return;
    }
    writeFileSync(this.recorded, '');
    const recording = {
      NODE_OPTIONS: `--require=${JSON.stringify(join(RECORDER, 'record-sends.cjs'))}`,
      RECORDED_PROGRAM: recorded,
      RECORDED_SENDS: this.recorded,
      ALLOWED_TARGETS: JSON.stringify(this.own),
    };
    await this.tell('start', { file, args, cwd, env: { ...env, ...recording } });
  }

  /** Extensions for the VS Code whose server this starts: its extension host gets no options of Node. */
  get vsixes(): readonly string[] {
    if (this.namespace !== undefined) return [];
    const vsix = join(this.folder, 'recorder.vsix');
    packVsix({ folder: RECORDER, vsix });
    return [vsix];
  }

  /** Starts the server of a VS Code; for `run` of its options. */
  readonly run: RunProgram = async (file, args, env) => {
    await this.start({ file, args, cwd: this.folder, env }, '--type=extensionHost');
    const ended = this.ended.then(() => undefined);
    return { output: [this.stdout, this.stderr], ended, stop: () => this.close() };
  };

  /** Adds bystanders that are younger than the program, once all of it runs: then its variables are known. */
  async addYounger(): Promise<void> {
    const found = await this.look(this.own);
    await this.stand('younger', [...new Set(found.flatMap(({ names }) => names))]);
  }

  async signal(signal: NodeJS.Signals): Promise<void> {
    await this.tell('signal', { signal });
  }

  /** Which of the texts are in the command line of a living process. */
  async alive(texts: readonly string[]): Promise<readonly string[]> {
    const found = await this.look(texts);
    return texts.filter(text => found.some(({ line }) => line.includes(text)));
  }

  /** Fails unless all bystanders live, and no signal was sent to one. */
  async assertBystandersLive(): Promise<void> {
    const alive = await this.alive(this.bystanders.map(({ seconds }) => seconds));
    const dead = this.bystanders.filter(({ seconds }) => !alive.includes(seconds));
    assert.deepEqual(
      dead.map(({ kind }) => kind),
      [],
      'bystanders that were ended',
    );
    const stray = this.recordedSends().filter(({ isAllowed }) => !isAllowed);
    assert.deepEqual(stray, [], 'signals to others');
  }

  /** Whether a fault would be seen and could end nobody: in a namespace, or because signals were recorded. */
  get isSafe(): boolean {
    return this.namespace !== undefined || this.recordedSends().length > 0;
  }

  /** The signals that the program sent, where they are recorded. */
  private recordedSends(): readonly { readonly line: string; readonly isAllowed: boolean }[] {
    if (this.namespace !== undefined) return [];
    const lines = readFileSync(this.recorded, 'utf8').split('\n').slice(0, -1);
    return lines.map(line => JSON.parse(line) as { line: string; isAllowed: boolean });
  }

  /** Ends what is left of all this. May be called twice. */
  async close(): Promise<void> {
    if (!this.init.connected) return;
    if (this.namespace === undefined) {
      await this.tell('clear', { texts: [...this.own, ...this.bystanders.map(b => b.seconds)] });
    }
    this.init.disconnect();
    await new Promise(resolve => this.init.once('exit', resolve));
    rmSync(this.folder, { recursive: true });
  }

  private get recorded(): string {
    return join(this.folder, 'sends.jsonl');
  }

  private async stand(age: string, names: readonly string[]): Promise<void> {
    const named = Object.fromEntries(names.map((name, index) => [`OTHER_${index}`, `${name}=1`]));
    const environments = {
      'an empty environment': {},
      'a full environment': { ...process.env },
      'our names in values': { EQUALS: '=', ...named, LIKE: 'HOOKLINE_TREE_=1' },
    };
    for (const [kind, env] of Object.entries(environments)) {
      const seconds = sleeperSeconds();
      this.bystanders.push({ kind: `${age}, ${kind}`, seconds });
      await this.tell('stand', { seconds, env });
    }
  }

  private async look(
    texts: readonly string[],
  ): Promise<readonly { readonly line: string; readonly names: readonly string[] }[]> {
    return (await this.tell('look', { texts })) as { line: string; names: string[] }[];
  }

  private tell(type: string, members: object): Promise<unknown> {
    const id = ++this.count;
    return new Promise((resolve, reject) => {
      const guard = setTimeout(() => reject(new Error(`no answer to ${type}`)), GUARD_MS);
      this.answers.set(id, result => {
        clearTimeout(guard);
        resolve(result);
      });
      this.init.send({ id, type, ...members });
    });
  }

  private take(message: Message): void {
    if ('exit' in message) this.resolveEnd(message.exit);
    else this.answers.get(message.id)?.(message.result);
  }
}

type Message = { readonly id: number; readonly result: unknown } | { readonly exit: ProgramEnd };
