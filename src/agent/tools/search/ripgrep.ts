import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import { onPath } from '../shell/shell';

/** Where this code runs, as far as the search for ripgrep depends on it. */
export interface RipgrepMachine {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly env: NodeJS.ProcessEnv;
  /** Absolute path of the running Node; inside VS Code if VS Code started it. */
  readonly execPath: string;
  /** The program that the package `@vscode/ripgrep` brings, where that is installed (with npm, not with the VSIX). */
  readonly packaged: () => Promise<string | undefined>;
}

/** Thrown when ripgrep cannot be started. */
export class RipgrepUnavailableError extends Error {
  override readonly name = 'RipgrepUnavailableError';
}

/** Finds ripgrep once: in VS Code, on PATH, in `@vscode/ripgrep`. Looks only at files and runs nothing. */
export class RipgrepLocator {
  private found: Promise<string> | undefined;

  /** `appRoot`: VS Code's folder, if this is its window; otherwise it is looked for around the running Node. */
  constructor(
    private readonly appRoot?: string,
    private readonly machine: RipgrepMachine = { ...thisProcess(), packaged },
  ) {}

  /**
   * Runs a search with the path of the program. If the program is gone, as when VS Code replaced its folder for an update, it is
   * looked for once more. Rejects with what `search` rejects with, and with {@link RipgrepUnavailableError}, whose message says
   * where ripgrep was looked for and what to do.
   */
  async use<T>(search: (program: string) => Promise<T>): Promise<T> {
    try {
      return await search(await this.locate());
    } catch (error) {
      if (!(error instanceof RipgrepUnavailableError)) throw error;
      this.found = undefined;
      return await search(await this.locate());
    }
  }

  /** The program's path. Rejects with {@link RipgrepUnavailableError} if there is none. */
  locate(): Promise<string> {
    this.found ??= this.search();
    return this.found;
  }

  private async search(): Promise<string> {
    const { machine } = this;
    const program = machine.platform === 'win32' ? 'rg.exe' : 'rg';
    const roots = this.appRoot === undefined ? appRootsAround(machine) : [this.appRoot];
    const inVscode = roots.flatMap(root => vscodeRipgrepCandidates(root, machine));
    for (const candidate of [...inVscode, ...onPath(program, machine)]) {
      if (await isExecutable(candidate)) return candidate;
    }
    const last = await machine.packaged();
    if (last !== undefined && (await isExecutable(last))) return last;
    throw new RipgrepUnavailableError(
      `Cannot search: ripgrep (${program}) was not found. Looked for it in VS Code (${roots.join(', ')}), in the folders of ` +
        `PATH and in the npm package @vscode/ripgrep. Install ripgrep so that \`rg\` is on PATH, then search again.`,
    );
  }
}

function thisProcess(): Omit<RipgrepMachine, 'packaged'> {
  const { platform, arch, env, execPath } = process;
  return { platform, arch, env, execPath };
}

/** Where the folder of VS Code is if its Node runs: VS Code starts the command line for agents of hooks. */
function appRootsAround({ platform, execPath }: RipgrepMachine): readonly string[] {
  const paths = platform === 'win32' ? win32 : posix;
  const folder = paths.dirname(execPath);
  // The Node of a remote machine, the program on Linux and Windows, and a helper program on macOS.
  return [folder, paths.join(folder, 'resources', 'app'), paths.join(folder, '../../../../Resources/app')];
}

/** Where VS Code keeps its ripgrep below `env.appRoot`, for all layouts known, best first. */
export function vscodeRipgrepCandidates(
  appRoot: string,
  machine: { readonly platform: NodeJS.Platform; readonly arch: string },
): readonly string[] {
  const paths = machine.platform === 'win32' ? win32 : posix;
  const program = machine.platform === 'win32' ? 'rg.exe' : 'rg';
  const target = `${machine.platform}-${machine.arch}`;
  const inside = [
    paths.join('ripgrep-universal', 'bin', target, program),
    paths.join('ripgrep', 'bin', program),
    paths.join(`ripgrep-${target}`, 'bin', program),
  ];
  return ['node_modules.asar.unpacked', 'node_modules'].flatMap(modules =>
    inside.map(path => paths.join(appRoot, modules, '@vscode', path)),
  );
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    // Missing or not executable: the next candidate.
    return false;
  }
}

async function packaged(): Promise<string | undefined> {
  // A variable keeps the bundler from taking in a package that the VSIX does not ship.
  const name = '@vscode/ripgrep';
  try {
    const module: unknown = await import(name);
    if (typeof module !== 'object' || module === null) return undefined;
    const path: unknown = Reflect.get(module, 'rgPath');
    return typeof path === 'string' ? path : undefined;
  } catch {
    // Not installed, or not for this platform.
    return undefined;
  }
}
