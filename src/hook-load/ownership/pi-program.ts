import { chmodSync, realpathSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';

/** Where Hookline's command line is; hooks that look for pi find it. All paths are absolute. */
export interface PiProgramFiles {
  /** The built command line. */
  readonly script: string;
  /** The folder with `pi` and `pi.cmd`, which run the script. */
  readonly folder: string;
}

/** The environment variable that tells `pi` and `pi.cmd` which Node to use. */
const NODE_VARIABLE = 'HOOKLINE_NODE';

/** What the started process needs to know beside its arguments; added to its environment. */
type Variables = Readonly<Record<string, string>>;

/**
 * Lets processes that hooks start find Hookline's command line in place of pi's, so that the same hooks guard an agent
 * that a hook starts (docs/hooks.md, "Agents that hooks start"). Processes that `bash` and terminals start are not
 * affected.
 */
export class PiProgram {
  /** What hooks see as `process.argv`; as in pi, the second item is the script of the command line. */
  readonly argv: readonly string[];

  constructor(
    private readonly files: PiProgramFiles,
    /** Called for each process that is started; `isPi`: it is the command line itself, started without a shell. */
    private readonly variables: (isPi: boolean) => Variables = () => ({}),
  ) {
    const { script, folder } = files;
    this.argv = isSameFile(process.argv[1], script) ? process.argv : [process.execPath, script];
    // If the file were not executable any more, another pi on PATH would be started in its place.
    makeProgram(join(folder, 'pi'));
    forget(process.env, folder);
  }

  /**
   * The variables to add to the environment `env` of a process that a hook starts. `command` is a program or a shell
   * command, `args` are the program's arguments.
   */
  variablesFor(env: NodeJS.ProcessEnv, command: unknown, args?: unknown): Variables {
    const name = pathVariable(env);
    const path = env[name];
    const { folder } = this.files;
    return {
      [name]: path === undefined || path === '' ? folder : `${folder}${delimiter}${path}`,
      [NODE_VARIABLE]: process.execPath,
      // Without this variable, the executable of desktop VS Code opens a window.
      ...('electron' in process.versions && String(command).includes(process.execPath)
        ? { ELECTRON_RUN_AS_NODE: '1' }
        : {}),
      ...this.variables(this.isPi(String(command), args)),
    };
  }

  private isPi(command: string, args: unknown): boolean {
    if (/^pi(\.cmd)?$/.test(basename(command))) return true;
    return Array.isArray(args) && args[0] === this.files.script;
  }
}

/** Finds the name of PATH in `env`: Windows ignores upper and lower case in names, but an object does not. */
function pathVariable(env: NodeJS.ProcessEnv): string {
  return Object.keys(env).find(name => name.toUpperCase() === 'PATH') ?? 'PATH';
}

/** Removes the variables that this process inherited if a hook started it: what its `bash` runs must not get them. */
function forget(env: NodeJS.ProcessEnv, folder: string): void {
  const name = pathVariable(env);
  const path = env[name];
  if (path?.startsWith(folder + delimiter) === true) env[name] = path.slice(folder.length + delimiter.length);
  Reflect.deleteProperty(env, NODE_VARIABLE);
}

function isSameFile(path: string | undefined, other: string): boolean {
  try {
    return path !== undefined && realpathSync(path) === realpathSync(other);
  } catch {
    return false;
  }
}

function makeProgram(path: string): void {
  try {
    chmodSync(path, 0o755);
  } catch {
    // Another user owns the installation, so its mode cannot be changed.
  }
}
