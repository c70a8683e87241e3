import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { ProgramRun } from '../../scripts/support/program-table.ts';
import { trustFolder, withoutKeys } from '../../scripts/support/test-place.ts';
import { peerFolder } from './bench-peer';
import type { ScriptedLlm } from './scripted-llm';

/** A command line that is measured: ours, or a real pi. */
export interface Program {
  readonly name: string;
  readonly cli: string;
  /** More for Node, with a blank before it. */
  readonly options?: string;
}

/** Ours as it is shipped, then each pi that this run brings. */
export function programs(): readonly Program[] {
  const profiles = process.env['HOOKLINE_BENCH_PROFILES'] ?? '';
  const options = profiles === '' ? '' : ` --cpu-prof "--cpu-prof-dir=${profiles}"`;
  const cli = process.env['HOOKLINE_BENCH_CLI'] ?? '';
  const ours = { name: `Hookline ${manifestIn('.').version}`, cli, options };
  const peers = Object.entries(PEER_FILES).flatMap(([name, file]) => {
    const folder = peerFolder(name);
    return folder === undefined ? [] : [{ name: `pi ${manifestIn(folder).version}`, cli: join(folder, file) }];
  });
  return [ours, ...peers];
}

/** The command line of each real pi that is measured, by its name in `scripts/support/peer-packages.ts`. */
const PEER_FILES = { '0.73.1': 'dist/cli.js', today: 'dist/bundle/cli.js' };

function manifestIn(folder: string): { readonly version: string } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string };
}

/** For every program, because packages read these too: pi-subagents runs `npm root -g` without PI_OFFLINE. */
const QUIET = { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' };

/** Tells at the end what the process cost; what it starts by itself is asked nothing. */
const METER = `const { isMainThread } = require('node:worker_threads');
const { readFileSync, writeFileSync } = require('node:fs');
const { METER_PARENT, METER_FILE } = process.env;
if (isMainThread && String(process.ppid) === METER_PARENT) {
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    let kb = process.resourceUsage().maxRSS;
    // That figure of the system also counts what this process was a copy of before its program started.
    try { kb = Number(/^VmHWM:\\s+(\\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]); } catch {}
    writeFileSync(METER_FILE, JSON.stringify({ cpu: (user + system) / 1e6, mb: kb / 1024 }));
  });
}
`;

/** How stdout is read: at once, or so many bytes per second. */
export type Reader = 'fast' | { readonly bytesPerSecond: number };

/** A home, an agent folder and a workspace of their own, in which a program runs. */
export class ProgramPlace {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'hookline-program-')));
  readonly cwd = join(this.root, 'work');
  private readonly meter = this.file('meter.cjs', METER);

  constructor(private readonly program: Program) {
    for (const folder of [this.cwd, join(this.root, 'tmp'), join(this.root, 'agent')]) mkdirSync(folder);
    trustFolder(join(this.root, 'agent'), this.cwd);
  }

  /** Writes a file below the root and returns its path. */
  file(path: string, text: string): string {
    const full = join(this.root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  }

  /** Makes the model of a scripted server the default; `settings` are more of the person's. */
  useLlm(llm: ScriptedLlm, settings: object = {}): void {
    const { baseUrl, api } = llm.model('anthropic-messages');
    const models = [{ id: 'one', reasoning: true, contextWindow: 100_000_000, maxTokens: 8192 }];
    const providers = { scripted: { baseUrl, api, apiKey: llm.apiKey, models } };
    this.file('agent/models.json', JSON.stringify({ providers }));
    const defaults = { defaultProvider: 'scripted', defaultModel: 'one' };
    this.file('agent/settings.json', JSON.stringify({ ...defaults, ...settings }));
  }

  /** Lays packages where pi installs them: all of a folder with node_modules. */
  layPackages(folder: string): void {
    mkdirSync(join(this.root, 'agent', 'npm'), { recursive: true });
    symlinkSync(join(folder, 'node_modules'), join(this.root, 'agent', 'npm', 'node_modules'));
  }

  /** The environment of a process in this place. */
  get env(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      ...withoutKeys(),
      HOME: this.root,
      USERPROFILE: this.root,
      TMPDIR: join(this.root, 'tmp'), // pi keeps compiled code there.
      PI_CODING_AGENT_DIR: join(this.root, 'agent'),
      ...QUIET,
    };
  }

  /** Runs the program to its end. @throws {Error} when it fails */
  async run(args: readonly string[], reader: Reader = 'fast'): Promise<ProgramRun> {
    const meterFile = join(this.root, 'meter.json');
    const child = spawn(process.execPath, [this.program.cli, ...args], {
      cwd: this.cwd,
      env: {
        ...this.env,
        NODE_OPTIONS: `--require "${this.meter}"${this.program.options ?? ''}`,
        METER_PARENT: String(process.pid),
        METER_FILE: meterFile,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const begin = performance.now();
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
    drain(child.stdout, reader);
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve);
    });
    const wall = (performance.now() - begin) / 1000;
    if (code !== 0) throw new Error(`${this.program.name} ${args.join(' ')}: exit code ${String(code)}\n${complaint}`);
    return { ...(JSON.parse(readFileSync(meterFile, 'utf8')) as Omit<ProgramRun, 'wall'>), wall }; // As METER wrote it.
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Looks so often, in ms, what a slow reader may take. */
const LOOK_MS = 10;

function drain(stdout: Readable, reader: Reader): void {
  if (reader === 'fast') {
    stdout.resume();
    return;
  }
  const bytes = Math.round((reader.bytesPerSecond * LOOK_MS) / 1000);
  const timer = setInterval(() => {
    if (stdout.read(bytes) === null) stdout.read(); // Less than that is left.
  }, LOOK_MS);
  stdout.once('end', () => clearInterval(timer));
}
