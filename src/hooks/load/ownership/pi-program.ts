import { chmodSync, realpathSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';

/** Where Hookline's command line lies, which hooks find where they look for pi. All paths absolute. */
export interface PiProgramFiles {
  /** The built command line. */
  readonly script: string;
  /** Holds `pi` and `pi.cmd`, which run it. */
  readonly folder: string;
}

/** Names the Node for `pi` and `pi.cmd`. */
const NODE_VARIABLE = 'HOOKLINE_NODE';

/** What the started process needs to know beside its arguments; added to its environment. */
type Variables = Readonly<Record<string, string>>;

/**
 * Makes what hooks start find Hookline's command line where pi's would be, so that the same hooks guard an agent that a
 * hook starts (docs/hooks.md, "Agents that hooks start"). What `bash` and terminals start does not pass here.
 */
export class PiProgram {
  /** What hooks see as `process.argv`: as in pi, the second one is the command line. */
  readonly argv: readonly string[];

  constructor(
    private readonly files: PiProgramFiles,
    /** Asked each time a process is started; `isPi` when it is the command line itself, by name and not through a shell. */
    private readonly variables: (isPi: boolean) => Variables = () => ({}),
  ) {
    const { script, folder } = files;
    this.argv = isSameFile(process.argv[1], script) ? process.argv : [process.execPath, script];
    // A file that lost its mark of a program would be skipped for another pi on PATH.
    makeProgram(join(folder, 'pi'));
    forget(process.env, folder);
  }

  /**
   * What is added to the environment `env` of a process of a hook. `command` is a program or a line for a shell, `args`
   * are the program's arguments.
   */
  variablesFor(env: NodeJS.ProcessEnv, command: unknown, args?: unknown): Variables {
    const name = pathVariable(env);
    const path = env[name];
    const { folder } = this.files;
    return {
      [name]: path === undefined || path === '' ? folder : `${folder}${delimiter}${path}`,
      [NODE_VARIABLE]: process.execPath,
      // Without it, the program of desktop VS Code opens a window.
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

/** Windows does not tell capital letters apart, but an object of Node does. */
function pathVariable(env: NodeJS.ProcessEnv): string {
  return Object.keys(env).find(name => name.toUpperCase() === 'PATH') ?? 'PATH';
}

/** An agent that a hook started inherits them; what its `bash` runs must not find them. */
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
    // Another's installation: it is as its installer left it.
  }
}
