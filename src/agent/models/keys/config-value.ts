import { exec } from 'node:child_process';
import { homedir } from 'node:os';
import { defined } from '../../../base/defined';
import { newMark, withMark } from '../../../base/ending/mark';
import { StartedTree } from '../../../base/ending/started-tree';
import { isCode } from '../../../base/errors';
import { hideLikelySecrets } from '../../../base/text/redact';
import { failed, ok, type Problem, type Result } from '../../../base/result';

const COMMAND_TIMEOUT_MS = 10_000;

/**
 * A key or a header as configured, which may name a variable or a command that gives the value (docs/models.md, Keys).
 */
export interface ConfigValue {
  readonly text: string;
  /** Its place, with which errors begin: `models.json, provider "local", apiKey`. */
  readonly place: string;
  /** The file it is in, absolute; absent for what code registered. */
  readonly file?: string;
  /** Variables of the credential; they count before the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Keeps the output of its command while the process lives. Otherwise, the command runs for each request. */
  readonly keepsOutput?: boolean;
  /** The whole text may be a variable's name without `$` (docs/dialects.md, C37). */
  readonly bareName?: boolean;
}

/** `$$` and `$!`, `${…}`, `$NAME`; a `$` before anything else stands for itself. */
const REFERENCE = /\$(?:([$!])|\{([^}]*)\}|([A-Za-z_]\w*))/g;
const VARIABLE_NAME = /^[A-Za-z_]\w*$/;
const UPPER_CASE_NAME = /^[A-Z][A-Z0-9_]*$/;

/**
 * Resolves configuration values as pi does: a leading `!` runs the rest as a command and gives its trimmed output;
 * `$NAME` and `${NAME}` give the value of a variable, `$$` and `$!` a `$` and a `!`; everything else is literal.
 * Problems name the place and the variable or command, but no value and no secret inside of a command.
 */
export class ConfigValues {
  private readonly outputs = new Map<string, Promise<Result<string>>>();

  /** `limitMs`: how long a command may take. */
  constructor(
    private readonly env: NodeJS.ProcessEnv,
    private readonly limitMs = COMMAND_TIMEOUT_MS,
  ) {}

  async resolve(value: ConfigValue): Promise<Result<string>> {
    if (!isCommand(value)) return this.expand(value);
    const command = value.text.slice(1).trim();
    const result = value.keepsOutput === true ? await this.runOnce(command) : await this.run(command);
    if (result.ok) return result;
    return failed(...result.problems.map(({ message }) => problemAt(value, message)));
  }

  /** Like {@link resolve} without running anything; undefined for commands and where a variable is missing. */
  resolveNow(value: ConfigValue): string | undefined {
    if (isCommand(value)) return undefined;
    const result = this.expand(value);
    return result.ok ? result.value : undefined;
  }

  /** True unless a variable is missing; commands are not tried. */
  isConfigured(value: ConfigValue): boolean {
    return isCommand(value) || this.expand(value).ok;
  }

  /** The variables that it names. */
  variables({ text, env, bareName }: ConfigValue): readonly string[] {
    if (text.startsWith('!')) return [];
    if (bareName === true && this.variable(text, env) !== undefined) return [text];
    const named = [...text.matchAll(REFERENCE)].flatMap(([, , braced, plain]) => braced ?? plain ?? []);
    return [...new Set(named)];
  }

  /** Reports values that look like names of variables without `$`: they are literal now. */
  bareNames(values: readonly ConfigValue[]): readonly Problem[] {
    return values
      .filter(({ text, env }) => UPPER_CASE_NAME.test(text) && this.variable(text, env) !== undefined)
      .map(value =>
        problemAt(
          value,
          `"${value.text}" is used as written, although an environment variable has that name. To use the variable, write "$${value.text}".`,
        ),
      );
  }

  /** Forgets what commands printed. */
  clear(): void {
    this.outputs.clear();
  }

  private expand(value: ConfigValue): Result<string> {
    const { text, env, bareName } = value;
    const named = bareName === true ? this.variable(text, env) : undefined;
    if (named !== undefined) return ok(named);
    const missing = new Set<string>();
    const expanded = text.replace(REFERENCE, (whole, escaped?: string, braced?: string, plain?: string) => {
      if (escaped !== undefined) return escaped;
      const name = braced ?? plain ?? '';
      if (!VARIABLE_NAME.test(name)) return whole;
      const found = this.variable(name, env);
      if (found === undefined) missing.add(name);
      return found ?? '';
    });
    if (missing.size === 0) return ok(expanded);
    const names = [...missing].join(', ');
    const are = missing.size === 1 ? `variable ${names} is` : `variables ${names} are`;
    return failed(problemAt(value, `the environment ${are} not set.`));
  }

  private variable(name: string, env: ConfigValue['env']): string | undefined {
    return [env?.[name], this.env[name]].find(found => found !== undefined && found !== '');
  }

  private async runOnce(command: string): Promise<Result<string>> {
    const running = this.outputs.get(command) ?? this.run(command);
    this.outputs.set(command, running);
    const result = await running;
    if (!result.ok) this.outputs.delete(command);
    return result;
  }

  private run(command: string): Promise<Result<string>> {
    return new Promise(resolve => {
      let isLate = false;
      const mark = newMark();
      const options = { cwd: homedir(), env: { ...this.env, ...withMark(mark) }, windowsHide: true };
      const child = exec(command, options, (error, stdout) => {
        clearTimeout(limit);
        if (isCode(error, 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')) void tree.end();
        const output = stdout.trim();
        if (error === null && output !== '') resolve(ok(output));
        else {
          const why = reason(error, isLate ? this.limitMs : undefined);
          resolve(failed({ message: `the command "${hideLikelySecrets(command)}" ${why}` }));
        }
      });
      const tree = new StartedTree(child, mark);
      const limit = setTimeout(() => {
        isLate = true;
        // A process that is not proven to be ours may hold the pipes.
        void tree.end().then(() => [child.stdout, child.stderr].forEach(pipe => pipe?.destroy()));
      }, this.limitMs);
      child.stdin?.on('error', () => {
        // A command that does not read its input may have ended.
      });
      child.stdin?.end();
    });
  }
}

function isCommand({ text }: ConfigValue): boolean {
  return text.startsWith('!');
}

function problemAt({ place, file }: ConfigValue, message: string): Problem {
  return { message: `${place}: ${message}`, ...defined({ file }) };
}

/** `limitMs`: how long the command was allowed to take, if it took longer. */
function reason(error: Error | null, limitMs: number | undefined): string {
  if (error === null) return 'printed nothing.';
  if (limitMs !== undefined) return `was stopped after ${limitMs / 1_000} seconds.`;
  if ('code' in error && typeof error.code === 'number') return `failed with exit code ${error.code}.`;
  if ('signal' in error && typeof error.signal === 'string') return `was ended by ${error.signal}.`;
  if ('code' in error && typeof error.code === 'string') return `could not be run (${error.code}).`;
  return 'could not be run.';
}
