import { loadSettings } from '../../agent/settings/load-settings';
import type { PiSettings } from '../../agent/settings/pi-settings';
import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';
import { silentLog } from '../../base/log';
import type { DeclaredPackage } from '../../packages/declared';
import { openPackageMemory, PackageApproval } from '../../packages/approval/package-approval';
import type { Declared } from '../../packages/install/settings-entries';
import { createInstaller, createReleases, declaredByScope } from '../../packages/install/create-installer';
import { InstallFailure } from '../../packages/install/install-failure';
import { isOffline } from '../../packages/install/fetch/offline';
import type { PackageInstaller, UpdatedPackage } from '../../packages/install/package-installer';
import { entryExists } from '../../packages/install/replace-folder';
import type { InstallRun } from '../../packages/install/fetch/run';
import { ownFolder, packageIdentity, parsePackageSource, type PackagePlaces } from '../../packages/package-source';
import { agentDirFrom } from '../../startup/own-folders';
import { trustWithoutHooks } from '../../startup/trust/trust-without-hooks';
import type { CodePlace } from '../../startup/hook-setup';
import type { Caller } from '../../startup/agents/calling-agent';
import { refuseAgents } from '../agents/refuse-agents';
import { createPreviewer } from '../start/previewer';
import { printErrorTo, printText } from '../terminal/print';
import { StopRequest } from '../terminal/stop-request';
import { terminalQuestions } from '../terminal/terminal-question';
import { trustWarning } from '../start/trust-text';
import { UsageError } from '../arguments/usage-error';
import { PACKAGE_COMMANDS, readPackageArguments, type PackageArguments, type UpdateTarget } from './package-arguments';
import { listParts, switchParts } from './part-list';
import { TerminalReview } from './terminal-review';

/** Exit code after Ctrl+C. */
const CANCELLED = 130;
const REFUSED = 'Not approved. Nothing was changed.';

/** The surroundings of a package command. */
export interface PackageSurroundings {
  readonly process: NodeJS.Process;
  readonly caller: Caller;
  /** Absolute. */
  readonly cwd: string;
  readonly code: CodePlace;
}

/** What a command needs. */
interface PackageWork {
  readonly places: PackagePlaces;
  readonly settings: PiSettings;
  readonly isTrusted: boolean;
  /** Says that the folder is not trusted, once. */
  readonly warnOfTrust: () => void;
  readonly installer: PackageInstaller;
  readonly decisions: Declared['decisions'];
  readonly run: InstallRun;
  readonly env: NodeJS.ProcessEnv;
  /** Writes a line to stdout. */
  readonly say: (line: string) => void;
  /** Writes a line to stderr. */
  readonly printError: (line: string) => void;
}

/**
 * `hookline install`, `remove`, `update`, `list` and `config`, as in today's pi (docs/packages.md); resolves with the
 * exit code. No hook is loaded. If a signal stops the command, everything is as it was before.
 */
export async function runPackageMode(
  command: keyof typeof PACKAGE_COMMANDS,
  argv: readonly string[],
  surroundings: PackageSurroundings,
): Promise<number> {
  const { process, caller, code: place } = surroundings;
  const printError = (line: string): void => printErrorTo(process.stderr, line);
  const stop = new StopRequest();
  try {
    const { usage, decides } = PACKAGE_COMMANDS[command];
    const given = readPackageArguments(command, argv);
    if (given.help) {
      printText(process.stdout, `Usage: ${usage}\n`);
      return 0;
    }
    if (decides !== undefined) refuseAgents(decides, caller, place.stateDir);
    stop.listen(process);
    const work = await prepare(given, { ...surroundings, stop, printError });
    const code = await perform(given, work);
    work.warnOfTrust(); // The first package of a folder makes it one that needs trust.
    return code;
  } catch (error) {
    if (stop.code !== undefined || (error instanceof Error && error.name === 'AbortError')) {
      printError('Canceled. Nothing was changed.');
      return stop.code ?? CANCELLED;
    }
    const isExpected = error instanceof UsageError || error instanceof InstallFailure;
    printError(`hookline: ${isExpected || !(error instanceof Error) ? messageOf(error) : error.message}`);
    return 1;
  }
}

async function prepare(
  given: PackageArguments,
  around: PackageSurroundings & { readonly stop: StopRequest; readonly printError: (line: string) => void },
): Promise<PackageWork> {
  const { process, cwd, code, stop, printError } = around;
  const { env } = process;
  const agentDir = agentDirFrom(undefined, env);
  const places = { agentDir, cwd };
  const flag = defined({ flag: given.approve });
  const trust = await trustWithoutHooks({ ...places, env, ...flag });
  const warnOfTrust = trustWarning(trust, printError);
  warnOfTrust();
  const isTrusted = trust.isTrusted;
  const { settings, problems } = await loadSettings({ ...places, includeProject: isTrusted });
  for (const { message, file } of problems) printError(`Warning: ${message}${file === undefined ? '' : ` (${file})`}`);
  const setup = { places, settings: { current: settings }, env: { ...env, ...trust.variables } };
  const { stdin, stderr } = process;
  const memory = openPackageMemory(code.stateDir, places);
  const { review, approve: accepted } = new TerminalReview({
    previewer: createPreviewer(code),
    releases: createReleases({ ...setup, log: silentLog }),
    approval: new PackageApproval({ agentDir, howTo: '', memory }),
    approvesAll: 'approvePackages' in given && given.approvePackages,
    allowsScripts: 'allowScripts' in given && given.allowScripts,
    ask: stdin.isTTY && stderr.isTTY ? terminalQuestions(process) : undefined,
    printError,
  });
  const controller = new AbortController();
  void stop.requested.then(() => controller.abort());
  return {
    places,
    settings,
    isTrusted,
    warnOfTrust,
    env,
    decisions: memory.decisions,
    installer: createInstaller({ ...setup, review, accepted, decisions: memory.decisions }),
    run: { signal: controller.signal, progress: printError },
    say: line => printText(process.stdout, `${line}\n`),
    printError,
  };
}

async function perform(given: PackageArguments, work: PackageWork): Promise<number> {
  const needsTrust = 'local' in given && given.local && !work.isTrusted;
  if (needsTrust) {
    work.printError('Project is not trusted. Use --approve to change what it declares.');
    return 1;
  }
  switch (given.command) {
    case 'install':
      return install(given.source, given.local ? 'project' : 'user', work);
    case 'remove':
      return remove(given.source, given.local ? 'project' : 'user', work);
    case 'update':
      return update(given.target, work);
    case 'list':
      return list(work);
    case 'config': {
      const request = { source: given.source, local: given.local };
      await switchParts(given.parts, request, work);
      await listParts(request, work);
      return 0;
    }
  }
}

async function install(source: string, scope: 'user' | 'project', work: PackageWork): Promise<number> {
  if ((await work.installer.install(source, scope, work.run)) === 'refused') {
    work.printError(REFUSED);
    return 1;
  }
  work.say(`Installed ${source}`);
  return 0;
}

async function remove(source: string, scope: 'user' | 'project', work: PackageWork): Promise<number> {
  const declared = declaredByScope(work.places, work.settings)[scope];
  const found = declared.find(({ identity }) => identity === identityOf(source, work.places));
  if (found === undefined) {
    work.printError(noMatch(source, declared));
    return 1;
  }
  await work.installer.remove(found, scope, work.run);
  work.say(`Removed ${source}`);
  return 0;
}

async function update(target: UpdateTarget, work: PackageWork): Promise<number> {
  if (target.type === 'models') {
    work.say('Hookline keeps no catalog of models: nothing to refresh.');
    return 0;
  }
  if (target.type !== 'packages') {
    work.say('Hookline itself is updated where it was installed: in VS Code, or in its checkout.');
  }
  if (target.type === 'self') {
    work.say('Packages are not updated by this: run "hookline update --extensions".');
    return 0;
  }
  if (isOffline(work.env)) {
    work.say('Skipped package updates (offline mode)');
    return 0;
  }
  const source = target.type === 'packages' ? target.source : undefined;
  const { user, project } = declaredByScope(work.places, work.settings);
  const all = [...user, ...project];
  const identity = source === undefined ? undefined : identityOf(source, work.places);
  const wanted = identity === undefined ? all : all.filter(each => each.identity === identity);
  if (source !== undefined && wanted.length === 0) throw new UsageError(noMatch(source, all));
  const { updated, refused, failed } = await work.installer.update(wanted, work.run);
  if (refused.length > 0) work.printError(REFUSED);
  for (const { written, message } of failed) work.printError(`hookline: ${written} was not updated: ${message}`);
  printUpdated(updated, { source, hasFailed: failed.length + refused.length > 0 }, work);
  return failed.length + refused.length > 0 ? 1 : 0;
}

function printUpdated(
  updated: readonly UpdatedPackage[],
  { source, hasFailed }: { readonly source: string | undefined; readonly hasFailed: boolean },
  { say }: PackageWork,
): void {
  if (updated.length === 0) {
    if (!hasFailed) say(source === undefined ? 'Packages are already up to date' : `${source} is already up to date`);
    return;
  }
  say(`Updated ${updated.length} ${updated.length === 1 ? 'package' : 'packages'}:`);
  for (const { declared, from, to } of updated) {
    const shown = (version: string | undefined): string =>
      version === undefined ? '(none)' : declared.source.type === 'git' ? version.slice(0, 7) : version;
    say(`  ${declared.written}${declared.scope === 'project' ? ' (project)' : ''} ${shown(from)} -> ${shown(to)}`);
  }
}

async function list({ places, settings, say }: PackageWork): Promise<number> {
  const { user, project } = declaredByScope(places, settings);
  if (user.length + project.length === 0) say('No packages installed.');
  const tell = async (title: string, packages: readonly DeclaredPackage[]): Promise<void> => {
    if (packages.length > 0) say(title);
    for (const { written, choice, folder } of packages) {
      say(`  ${written}${choice.type === 'all' ? '' : ' (filtered)'}`);
      if (await entryExists(folder)) say(`    ${folder}`);
    }
  };
  await tell('User packages:', user);
  if (user.length > 0 && project.length > 0) say('');
  await tell('Project packages:', project);
  return 0;
}

function identityOf(source: string, places: PackagePlaces): string | undefined {
  const parsed = parsePackageSource(source, ownFolder('temporary', places));
  return parsed.ok ? packageIdentity(parsed.value) : undefined;
}

function noMatch(source: string, declared: readonly DeclaredPackage[]): string {
  const meant = declared.find(({ source: own }) => {
    if (own.type === 'npm') return own.name === source || `${own.name}@${own.version ?? ''}` === source;
    return own.type === 'git' && `${own.host}/${own.path}` === source.replace(/@.*$/, '');
  });
  const advice = meant === undefined ? '' : `. Did you mean ${meant.written}?`;
  return `No matching package found for ${source}${advice}`;
}
