import { win32 } from 'node:path';
import { UserError } from '../support/fail.mjs';

/** A program to start without a shell. */
export interface Program {
  readonly file: string;
  /** Its first arguments. */
  readonly args: readonly string[];
  /** Variables to add to the environment. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The program behind the command line of a desktop VS Code. On Windows, the command line is a batch file, which only a shell
 * can start, and a shell gives spaces, `&` and `%` in paths a meaning. So this reads what the batch file starts: `Code.exe`
 * as Node, with a script.
 *
 * @param code - path of the command line
 * @param system.read - reads a text file
 * @throws {UserError} when the batch file starts something else
 */
export function desktopProgram(
  code: string,
  { platform, read }: { readonly platform: NodeJS.Platform; readonly read: (path: string) => string },
): Program {
  if (platform !== 'win32') return { file: code, args: [], env: {} };
  const [, exe, script] = /^"%~dp0([^"%]+\.exe)" "%~dp0([^"%]+\.js)" %\*/m.exec(read(code)) ?? [];
  if (exe === undefined || script === undefined) {
    throw new UserError(`${code} is not the command line of a VS Code; npm start -- --server does without it`);
  }
  const folder = win32.dirname(code);
  return {
    file: win32.join(folder, exe),
    args: [win32.join(folder, script)],
    env: { ELECTRON_RUN_AS_NODE: '1', VSCODE_DEV: '' },
  };
}
