import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { cachedFolder, npmInstall } from './support/cached.ts';
import { UserError } from './support/fail.mjs';
import { olderNode } from './support/older-node.ts';

/** Versions of code-server. Version 4.x contains VS Code 1.x. */
const VERSIONS = {
  current: '4.139.1',
  /** The oldest VS Code that `engines` in package.json allows. */
  oldest: '4.106.3',
} as const;
/** A version of VS Code that tests can run in. */
export type ServerVersion = keyof typeof VERSIONS;

/** Must be increased when the way in which the server is prepared changes, so that old copies are not used. */
const LAYOUT = 1;
const START_TIMEOUT_MS = 60_000;
const SPDLOG_SHIM = join(import.meta.dirname, 'support', 'spdlog-shim.cjs');
const GUARD = join(import.meta.dirname, 'support', 'guard.ts');
/**
 * Folders of VS Code's own extensions that most tests need. Each further one makes each window slower, most of all the one that
 * starts TypeScript's server for each hook in an editor.
 */
const FEW_EXTENSIONS = [
  'configuration-editing',
  'javascript',
  'json',
  'json-language-features',
  'markdown-basics',
  'markdown-language-features',
  'mermaid-markdown-features',
  'theme-defaults',
  'theme-seti',
  'typescript-basics',
];

interface Installation {
  /** Default `current`. */
  readonly version?: ServerVersion;
  readonly vsixes: readonly string[];
  readonly extensionsDir: string;
  readonly serverDataDir: string;
}

export interface ServerOptions {
  /** Default `current`. */
  readonly version?: ServerVersion;
  /** The user data is in its data/User. */
  readonly serverDataDir: string;
  readonly extensionsDir: string;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** Without a token, anybody on this machine can connect; leave it out only in tests. */
  readonly connectionToken?: string;
  /** Allows debugging extensions in the browser, and development options in the page's address. */
  readonly smokeTestDriver?: boolean;
  /** Trusts all folders, so that there is no Restricted Mode. */
  readonly disableTrust?: boolean;
  /** Of VS Code's own extensions, has only {@link FEW_EXTENSIONS}. */
  readonly fewExtensions?: boolean;
  /** How long the extension host of a closed page waits for its return; default: VS Code's three hours. */
  readonly reconnectionGraceSeconds?: number;
  /** Merged over our own environment. */
  readonly env?: NodeJS.ProcessEnv;
  /** Starts the server's program in other surroundings. */
  readonly run?: RunProgram | undefined;
}

/** A running program. */
export interface RunningProgram {
  /** What it prints. */
  readonly output: readonly Readable[];
  /** Resolves when it has ended for any reason. */
  readonly ended: Promise<void>;
  /** Ends it with all that it started. May be called twice. */
  stop(): Promise<void>;
}

/** Starts a program; `env` is its whole environment. */
export type RunProgram = (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => Promise<RunningProgram>;

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Resolves when the server has ended for any reason. */
  readonly ended: Promise<void>;
  /** Ends all of its processes. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Installs VS Code's own server from npm into the cache, once. Resolves with the path of the server's program.
 * @throws {UserError} when npm cannot install it
 */
async function serverProgram(which: ServerVersion): Promise<string> {
  const version = VERSIONS[which];
  const folder = await cachedFolder(
    ['vscode-server', `${version}-${process.platform}-${process.arch}-${LAYOUT}`],
    draft => {
      console.log(`hookline: getting VS Code's server (code-server ${version}) from npm, once; this takes a minute`);
      writeFileSync(join(draft, 'package.json'), '{ "private": true }');
      npmInstall(draft, [`code-server@${version}`]);
      const server = join(draft, 'node_modules', 'code-server', 'lib', 'vscode');
      takeWatcherFromNpm(server);
      npmInstall(server, []);
      npmInstall(join(server, 'extensions'), []);
      copyFileSync(SPDLOG_SHIM, join(server, 'node_modules', '@vscode', 'spdlog', 'index.js'));
    },
  );
  return join(folder, 'node_modules', 'code-server', 'lib', 'vscode', 'out', 'server-main.js');
}

/** The paths of the Node that this version was made for, and of the server's program. */
async function serverCommand(version: ServerVersion = 'current'): Promise<[node: string, program: string]> {
  return [version === 'oldest' ? await olderNode('oldest') : process.execPath, await serverProgram(version)];
}

/**
 * Replaces `@parcel/watcher` by a version from npm: VS Code before 1.107 depends on a commit of it on a git host. The lock
 * file is removed, because it does too.
 */
function takeWatcherFromNpm(server: string): void {
  const file = join(server, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  if (manifest.dependencies['@parcel/watcher']?.includes('#') !== true) return;
  const dependencies = { ...manifest.dependencies, '@parcel/watcher': '2.5.1' };
  writeFileSync(file, JSON.stringify({ ...manifest, dependencies }));
  rmSync(join(server, 'npm-shrinkwrap.json'));
}

/**
 * Installs packaged extensions for a server that is not running yet. Paths are absolute.
 * @throws {UserError} when VS Code does not install one
 */
export async function installExtension({ vsixes, ...folders }: Installation): Promise<void> {
  const options = vsixes.flatMap(vsix => ['--install-extension', vsix]);
  await manageExtensions(['--force', ...options], folders);
}

/**
 * Uninstalls an extension of a server that is not running. The next server that starts removes its files.
 * @throws {UserError} when VS Code does not uninstall it
 */
export async function uninstallExtension(id: string, folders: Omit<Installation, 'vsixes'>): Promise<void> {
  await manageExtensions(['--uninstall-extension', id], folders);
}

async function manageExtensions(
  options: readonly string[],
  { version, extensionsDir, serverDataDir }: Omit<Installation, 'vsixes'>,
): Promise<void> {
  const [node, ...args] = await serverCommand(version);
  args.push('--accept-server-license-terms', ...options);
  args.push('--extensions-dir', extensionsDir, '--server-data-dir', serverDataDir, '--telemetry-level', 'off');
  const { status, stdout, stderr } = spawnSync(node, args, { encoding: 'utf8', env: cleanEnvironment({}) });
  if (status !== 0) throw new UserError(`VS Code refused ${options.join(' ')}:\n${stdout}${stderr}`);
}

/**
 * Starts VS Code's server on 127.0.0.1. Resolves when it answers requests.
 * @throws {UserError} when it ends or does not answer within a minute
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const command = await serverCommand(options.version);
  const [, program] = command;
  const fewer = options.fewExtensions
    ? ['--builtin-extensions-dir', linkFewExtensions(program, options.serverDataDir)]
    : [];
  const { run = runDetached } = options;
  const args = [GUARD, ...command, ...serverArguments(options), ...fewer];
  const server = await run(process.execPath, args, cleanEnvironment(options.env ?? {}));
  try {
    const port = await listeningPort(server);
    await untilItAnswers(port);
    return { url: `http://127.0.0.1:${port}/`, port, ended: server.ended, stop: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** In its own process group, so that Ctrl+C in the terminal reaches only us, and we end the program in order. */
function runDetached(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<RunningProgram> {
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'], detached: true });
  child.channel?.unref();
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()));
  const stop = (): Promise<void> => {
    if (child.connected) child.disconnect();
    return ended;
  };
  return Promise.resolve({ output: [child.stdout, child.stderr].filter(stream => stream !== null), ended, stop });
}

/** Links a few of VS Code's own extensions into a new folder. Returns its absolute path. */
function linkFewExtensions(program: string, serverDataDir: string): string {
  const all = join(dirname(program), '..', 'extensions');
  const folder = join(serverDataDir, 'built-in-extensions');
  mkdirSync(folder);
  for (const name of FEW_EXTENSIONS) symlinkSync(join(all, name), join(folder, name));
  return folder;
}

function serverArguments(options: ServerOptions): string[] {
  const { port = 0, connectionToken, smokeTestDriver, disableTrust, extensionsDir, serverDataDir } = options;
  const { reconnectionGraceSeconds: grace } = options;
  return [
    ...['--host', '127.0.0.1', '--port', String(port)],
    ...(connectionToken ? ['--connection-token', connectionToken] : ['--without-connection-token']),
    ...['--server-data-dir', serverDataDir, '--extensions-dir', extensionsDir],
    ...['--accept-server-license-terms', '--telemetry-level', 'off'],
    ...(smokeTestDriver ? ['--enable-smoke-test-driver'] : []),
    ...(disableTrust ? ['--disable-workspace-trust'] : []),
    ...(grace === undefined ? [] : ['--reconnection-grace-time', String(grace)]),
  ];
}

/** Our environment without the variables of a VS Code or a debugger that this script may have been started from. */
function cleanEnvironment(extra: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      !name.startsWith('VSCODE_') && !['NODE_OPTIONS', 'ELECTRON_RUN_AS_NODE', 'NODE_CHANNEL_FD'].includes(name),
  );
  return { ...Object.fromEntries(inherited), ...extra };
}

function listeningPort({ output, ended }: RunningProgram): Promise<number> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const timer = setTimeout(
      () => reject(new UserError(`VS Code's server did not start:\n${printed}`)),
      START_TIMEOUT_MS,
    );
    const read = (chunk: Buffer): void => {
      if (printed.length < 20_000) printed += String(chunk);
      const port = /Extension host agent listening on (\d+)/.exec(printed)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(Number(port));
    };
    for (const stream of output) stream.on('data', read);
    void ended.then(() => {
      clearTimeout(timer);
      reject(new UserError(`VS Code's server ended:\n${printed}`));
    });
  });
}

async function untilItAnswers(port: number): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/version`);
      if (answer.ok) return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    if (Date.now() > deadline) throw new UserError(`VS Code's server on port ${port} does not answer`);
    await delay(100);
  }
}
