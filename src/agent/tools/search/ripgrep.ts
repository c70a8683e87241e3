import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import { onPath } from '../shell/shell';

/** Places where ripgrep may be, best first; the composition root knows those inside the VS Code installation. */
export type RipgrepSource = readonly string[];

/** What the search for ripgrep depends on besides the source; taken from the machine when missing. */
export interface RipgrepMachine {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  /** The program that the package `@vscode/ripgrep` brings, where that is installed (a checkout, not the VSIX). */
  readonly packaged: () => Promise<string | undefined>;
}

/**
 * Finds ripgrep once: in the source, on PATH, in `@vscode/ripgrep`. Looks only at files and runs nothing. {@link
 * forget} reports that the program no longer exists, so that it is searched again.
 */
export class RipgrepLocator {
  private found: Promise<string | undefined> | undefined;

  constructor(
    private readonly source: RipgrepSource = [],
    private readonly machine: RipgrepMachine = { platform: process.platform, env: process.env, packaged },
  ) {}

  /** The program's path; undefined when there is none, and searches then run in JavaScript. */
  locate(): Promise<string | undefined> {
    this.found ??= this.search();
    return this.found;
  }

  /** Makes the next {@link locate} search again: VS Code replaces its folder on update. */
  forget(): void {
    this.found = undefined;
  }

  private async search(): Promise<string | undefined> {
    const program = this.machine.platform === 'win32' ? 'rg.exe' : 'rg';
    for (const candidate of [...this.source, ...onPath(program, this.machine)]) {
      if (await isExecutable(candidate)) return candidate;
    }
    const last = await this.machine.packaged();
    return last !== undefined && (await isExecutable(last)) ? last : undefined;
  }
}

/** Where VS Code keeps its ripgrep below `env.appRoot`, for all layouts known. */
export function vscodeRipgrepCandidates(
  appRoot: string,
  machine: { readonly platform: NodeJS.Platform; readonly arch: string },
): RipgrepSource {
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
