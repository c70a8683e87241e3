import { homedir } from 'node:os';
import * as l10n from '@vscode/l10n';
import { isRecord } from '../../../base/json/is-record';
import { InstallFailure } from '../install-failure';
import { dependencyArgs, installArgs, rebuildArgs, uninstallArgs, type NpmCommand } from './npm-command';
import { callProgram, type ProgramAnswer } from './programs';
import type { InstallRun } from './run';
import { compareVersions } from '../version-order';

/** How long a query of the registry may take, in ms; the same as in pi. */
const QUESTION_MS = 10_000;

/** npm's codes for what a registry answers when it has no search. */
const NO_SEARCH: readonly string[] = ['E404', 'E405', 'E501'];

/** A package that the registry's search found. */
export interface FoundPackage {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** Who published it; empty when the registry does not say. */
  readonly publisher: string;
  /** When it was published, ISO 8601; empty when the registry does not say. */
  readonly date: string;
}

/** Who published a version, and when (ISO 8601). */
export interface ReleaseInfo {
  readonly publisher?: string;
  readonly published?: string;
}

/**
 * Calls npm, or the program that the setting `npmCommand` names. Questions are asked outside of any project, so that the
 * settings of an opened folder have no effect. All calls reject as {@link callProgram} does.
 */
export class NpmClient {
  /** Names git, since npm would run the program that the `.npmrc` of a dependency from git names. */
  private readonly env: NodeJS.ProcessEnv;

  constructor(
    private readonly command: () => NpmCommand,
    env: NodeJS.ProcessEnv,
  ) {
    this.env = { npm_config_git: 'git', ...env };
  }

  /**
   * Adds packages to the project in a folder, without install scripts.
   * @throws InstallFailure that says why it cannot
   */
  async install(folder: string, specs: readonly string[], run: InstallRun): Promise<void> {
    await this.change(folder, installArgs(this.command(), specs, folder, 'skip'), run);
  }

  /** Installs the dependencies of the package in a folder. @throws InstallFailure that says why it cannot */
  async installDependencies(folder: string, scripts: 'run' | 'skip', run: InstallRun): Promise<void> {
    await this.change(folder, dependencyArgs(this.command(), scripts), run);
  }

  async uninstall(folder: string, name: string, run: InstallRun): Promise<void> {
    await this.change(folder, uninstallArgs(this.command(), name, folder), run);
  }

  /** Runs the install scripts of these packages of a project. @throws InstallFailure when one of them fails */
  async runScripts(folder: string, names: readonly string[], run: InstallRun): Promise<void> {
    await this.change(folder, rebuildArgs(names, folder), run);
  }

  /**
   * The version that npm would install for `spec`: a name, or a name with `@range` or `@tag`. Of a range, it is the latest
   * release if the range has it, or else its newest version. @throws InstallFailure
   */
  async newestVersion(spec: string, signal: AbortSignal): Promise<string> {
    const answer = await this.ask(['view', spec, 'version', 'dist-tags.latest', '--json'], signal);
    const given: unknown = jsonIn(answer.stdout);
    const releases: readonly unknown[] = Array.isArray(given) ? given : [given];
    // Without a latest release, npm prints only versions.
    const versions = releases.map(each => textIn(isRecord(each) ? each['version'] : each)).filter(each => each !== '');
    const [first] = releases;
    const latest = isRecord(first) ? first['dist-tags.latest'] : undefined;
    const newest = versions.find(each => each === latest) ?? versions.toSorted(compareVersions).at(-1);
    if (newest === undefined) throw new InstallFailure(l10n.t('npm did not report a version of {0}.', spec));
    return newest;
  }

  /** Who published a version, and when, as far as the registry says. @throws InstallFailure if it cannot be reached */
  async release(name: string, version: string, signal: AbortSignal): Promise<ReleaseInfo> {
    const args = ['view', `${name}@${version}`, '_npmUser', 'time', '--json'];
    const given: unknown = jsonIn((await this.ask(args, signal)).stdout);
    if (!isRecord(given)) return {};
    const { _npmUser: user, time } = given;
    // npm writes a user as `name <address>`; the address is left out.
    const publisher = (isRecord(user) ? textIn(user['name']) : textIn(user)).replace(/\s*<.*$/s, '');
    const published = isRecord(time) ? textIn(time[version]) : '';
    return { ...(publisher === '' ? {} : { publisher }), ...(published === '' ? {} : { published }) };
  }

  /** The packages for pi that match a text; all for an empty text. @throws InstallFailure if it cannot search */
  async search(text: string, signal: AbortSignal): Promise<readonly FoundPackage[]> {
    const words = text.split(/\s+/).filter(word => word !== '' && !word.startsWith('-'));
    const answer = await this.call(['search', 'keywords:pi-package', ...words, '--json'], signal);
    if (answer.code !== 0) {
      const isMissing = NO_SEARCH.includes(textIn(errorIn(answer)['code']));
      throw isMissing
        ? new InstallFailure(l10n.t('This registry has no search.'))
        : failureOf(this.command().command, answer);
    }
    const found: unknown = jsonIn(answer.stdout);
    return Array.isArray(found) ? found.flatMap(foundPackage) : [];
  }

  private async ask(args: readonly string[], signal: AbortSignal): Promise<ProgramAnswer> {
    const answer = await this.call(args, signal);
    if (answer.code !== 0) throw failureOf(this.command().command, answer);
    return answer;
  }

  private async call(args: readonly string[], signal: AbortSignal): Promise<ProgramAnswer> {
    const { command, args: first } = this.command();
    // npm waits 10 s before it tries again, so the time would be over before it reports that the registry is
    // unreachable.
    const env = { ...this.env, npm_config_fetch_retries: '0' };
    return callProgram({ command, args: [...first, ...args], cwd: homedir(), env, signal, timeoutMs: QUESTION_MS });
  }

  private async change(folder: string, args: readonly string[], { signal, progress }: InstallRun): Promise<void> {
    const { command, args: first } = this.command();
    const onLine = (line: string): void => {
      const address = /^npm http fetch GET 200 (\S+\.tgz)\s/.exec(line)?.[1];
      if (address !== undefined) progress(l10n.t('Downloaded {0}', decodeURIComponent(lastPart(address))));
    };
    const call = { command, args: [...first, ...args], cwd: folder, env: this.env, signal, onLine };
    const answer = await callProgram(call);
    if (answer.code !== 0) throw failureOf(command, answer);
    // npm skips entries that it cannot unpack, such as entries with a path outside of the package, and goes on.
    const left = answer.stderr.split('\n').find(line => line.includes('TAR_ENTRY_ERROR'));
    if (left !== undefined) {
      const why = left.slice(left.indexOf('TAR_ENTRY_ERROR') + 'TAR_ENTRY_ERROR'.length).trim();
      throw new InstallFailure(l10n.t('Hookline cannot unpack a package: {0}.', why));
    }
  }
}

function lastPart(address: string): string {
  return address.split('/').at(-1) ?? address;
}

/** What npm writes about its failure. */
function errorIn({ stdout }: ProgramAnswer): Readonly<Record<string, unknown>> {
  const output = jsonIn(stdout);
  return isRecord(output) && isRecord(output['error']) ? output['error'] : {};
}

function failureOf(command: string, answer: ProgramAnswer): InstallFailure {
  const { code, stderr } = answer;
  const error = errorIn(answer);
  const summary = textIn(error['summary']) || lastWords(stderr) || l10n.t('it ended with code {0}', code);
  switch (error['code']) {
    case 'E404':
      return new InstallFailure(l10n.t('The npm registry has no such package: {0}', summary));
    case 'ETARGET':
      return new InstallFailure(l10n.t('The npm registry has no such version: {0}', summary));
    case 'EINTEGRITY':
      return new InstallFailure(l10n.t('The download does not match the registry or the lock file: {0}', summary));
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'ECONNREFUSED':
    case 'ECONNRESET':
    case 'ETIMEDOUT':
      return new InstallFailure(l10n.t('The npm registry cannot be reached: {0}', summary));
    default:
      return new InstallFailure(l10n.t('{0} failed: {1}', command, summary));
  }
}

/** The last three lines of stderr, without lines about requests and log files. */
function lastWords(stderr: string): string {
  const lines = stderr.split('\n').map(line => line.trim());
  const own = lines.filter(line => line !== '' && !/^npm http |A complete log of this run/.test(line));
  return own.slice(-3).join(' ');
}

function foundPackage(given: unknown): readonly FoundPackage[] {
  if (!isRecord(given) || typeof given['name'] !== 'string') return [];
  const { name, version, description, date, publisher } = given;
  const who = isRecord(publisher) ? textIn(publisher['username']) : '';
  return [{ name, version: textIn(version), description: textIn(description), publisher: who, date: textIn(date) }];
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // A program other than npm may print plain text.
  }
}
