import { exec } from 'node:child_process';
import { homedir } from 'node:os';
import { messageOf } from '../../../base/errors';
import { failed, ok, type Result } from '../../../base/result';

const COMMAND_TIMEOUT_MS = 10_000;

/**
 * Resolves values of configuration files: `!command` gives what the command prints, trimmed; the
 * name of an environment variable gives its value; anything else is meant literally. What a command printed is kept for
 * the life of this object, failures are not. Problems name the command, never a value.
 */
export class ConfigValues {
  private readonly commands = new Map<string, Promise<Result<string>>>();

  constructor(private readonly env: NodeJS.ProcessEnv) {}

  async resolve(value: string): Promise<Result<string>> {
    if (!value.startsWith('!')) return ok(this.resolveNow(value) ?? value);
    const command = value.slice(1).trim();
    const running = this.commands.get(command) ?? this.run(command);
    this.commands.set(command, running);
    const result = await running;
    if (!result.ok) this.commands.delete(command);
    return result;
  }

  /** Like {@link resolve} without running anything; undefined for commands. */
  resolveNow(value: string): string | undefined {
    if (value.startsWith('!')) return undefined;
    const fromEnvironment = this.env[value];
    return fromEnvironment === undefined || fromEnvironment === '' ? value : fromEnvironment;
  }

  /** Forgets what commands printed. */
  clear(): void {
    this.commands.clear();
  }

  private run(command: string): Promise<Result<string>> {
    return new Promise(resolve => {
      const options = {
        timeout: COMMAND_TIMEOUT_MS,
        killSignal: 'SIGKILL',
        cwd: homedir(),
        env: this.env,
        windowsHide: true,
      };
      const child = exec(command, options as Parameters<typeof exec>[1], (error, stdout) => {
        const output = String(stdout).trim();
        if (error === null && output !== '') resolve(ok(output));
        else resolve(failed({ message: `The command "${command}" ${reason(error)}` }));
      });
      child.stdin?.on('error', () => {
        // A command that does not read its input may be gone by now.
      });
      child.stdin?.end();
    });
  }
}

function reason(error: Error | null): string {
  if (error === null) return 'printed nothing.';
  if ('killed' in error && error.killed === true) return `was stopped after ${COMMAND_TIMEOUT_MS / 1_000} seconds.`;
  if ('code' in error && typeof error.code === 'number') return `failed with exit code ${error.code}.`;
  return `could not be run: ${messageOf(error)}`;
}
