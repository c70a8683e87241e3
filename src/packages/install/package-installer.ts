import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { FileLockedError, withFileLock } from '../../agent/models/keys/file-lock';
import { messageOf } from '../../base/errors';
import type { DeclaredPackage } from '../declared';
import {
  ownFolder,
  packageIdentity,
  parsePackageSource,
  type PackagePlaces,
  type PackageScope,
  type PackageSource,
} from '../package-source';
import { Rollback } from './rollback';
import type { GitClient } from './fetch/git-client';
import { InstallFailure, InstallRefused } from './install-failure';
import type { NpmClient } from './fetch/npm-client';
import { makeFolder } from './replace-folder';
import type { InstallRun } from './fetch/run';
import { declarePackage, forgetPackage, type Declared, type SettingsScope } from './settings-entries';
import { downloadGit, removeCheckout } from './fetch/git-download';
import { makeTemporaryFolder, downloadNpm, stageNpmRemoval, versionIn, type NpmSource } from './fetch/npm-download';
import type { AcceptedPackages, PackageReview, StagedPackages } from './fetch/staged-package';
import { checkForUpdate, type UpdateState } from './update-check';

/** What {@link PackageInstaller} needs. */
export interface InstallerParts {
  readonly places: PackagePlaces;
  readonly npm: NpmClient;
  readonly git: GitClient;
  /** Called after packages were downloaded, before they are moved to their place or declared. */
  readonly review: PackageReview;
  /**
   * Called with the packages that the review accepted when their content is final: after their install scripts, and before
   * they are moved to their place. If it rejects, nothing is installed.
   */
  readonly accepted?: AcceptedPackages;
  /** Where the user's decisions are kept; absent: the user does not decide what is changed, or decisions are not kept. */
  readonly decisions?: Declared['decisions'];
  /** How long to wait for another process that changes packages, in ms; as long as for other files when absent. */
  readonly lockWaitMs?: number;
}

/** The result of an installation; after `refused` everything is as it was. */
export type InstallOutcome = 'installed' | 'refused';

/** What an update did. */
export interface UpdateReport {
  readonly updated: readonly UpdatedPackage[];
  /** The sources, as written, of packages that the review refused. */
  readonly refused: readonly string[];
  readonly failed: readonly { readonly written: string; readonly message: string }[];
}

/** `from` and `to` are versions, or commits for git. `from` is undefined for a package that was missing. */
export interface UpdatedPackage {
  readonly declared: DeclaredPackage;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/**
 * Installs, updates and removes packages in pi's folders with npm and git. A change is made in a temporary folder,
 * which is moved to its place at the end; when it fails or is cancelled, folders and settings are as they were. Only
 * one change of a scope runs at a time, also across processes. Errors have messages for the user; a cancelled run
 * rejects with the reason of its signal.
 */
export class PackageInstaller {
  constructor(private readonly parts: InstallerParts) {}

  /** Installs a package and declares it in the settings of the scope. Relative paths start at `cwd` of the places. */
  async install(written: string, scope: SettingsScope, run: InstallRun): Promise<InstallOutcome> {
    const source = this.parse(written);
    run.progress(l10n.t('Installing {0}…', written));
    const { places, decisions } = this.parts;
    const about: Declared = { identity: packageIdentity(source), scope, places, decisions };
    try {
      await this.change(scope, async steps => {
        const pending = await this.download(written, source, scope, { steps, run });
        await this.reviewAndPlace(pending, run, () => declarePackage(about, source, written));
      });
    } catch (error) {
      if (error instanceof InstallRefused) return 'refused';
      throw error;
    }
    return 'installed';
  }

  /** Installs or updates a package that the command line names. If an update fails, the installed version stays. */
  async installTemporary(declared: DeclaredPackage, run: InstallRun): Promise<void> {
    const { written, source } = declared;
    if (source.type === 'local') return;
    const state = await this.check(declared, run.signal).catch(() => undefined);
    if (state?.type === 'current') return;
    const isThere = state?.type !== 'missing' && (await versionIn(declared.folder)) !== undefined;
    const news = isThere ? l10n.t('Updating {0}…', written) : l10n.t('Installing {0}…', written);
    if (state === undefined && isThere) return; // The check failed, for example offline: the installed version is used.
    run.progress(news);
    await this.change('temporary', async steps => {
      await makeTemporaryFolder(this.parts.places, steps);
      await this.reviewAndPlace(await this.download(written, source, 'temporary', { steps, run }), run, () =>
        Promise.resolve(),
      );
    });
  }

  /** Removes a package and its declaration from a scope. */
  async remove({ source, written, identity }: DeclaredPackage, scope: SettingsScope, run: InstallRun): Promise<void> {
    const { places, npm, decisions } = this.parts;
    run.progress(l10n.t('Removing {0}…', written));
    await this.change(scope, async steps => {
      const where = { places, scope };
      const pending = source.type === 'npm' ? await stageNpmRemoval(npm, source, where, { steps, run }) : undefined;
      run.signal.throwIfAborted();
      if (source.type === 'git') await removeCheckout({ ...where, source }, steps);
      await pending?.place();
      await forgetPackage({ identity, ...where, decisions });
    });
  }

  /** What an update would change for a package. Rejects when npm, git or the server does not answer. */
  check(declared: DeclaredPackage, signal: AbortSignal): Promise<UpdateState> {
    return checkForUpdate(this.parts, declared, signal);
  }

  /**
   * Updates packages to the version that their declarations ask for, and installs missing ones. If one cannot be
   * updated, the others still are. Rejects only when the run is cancelled.
   */
  async update(packages: readonly DeclaredPackage[], run: InstallRun): Promise<UpdateReport> {
    const updated: UpdatedPackage[] = [];
    const refused: string[] = [];
    const failed: UpdateReport['failed'][number][] = [];
    const waiting = await this.outdated(packages, failed, run);
    for (const group of groups(waiting)) {
      const [first] = group;
      if (first === undefined) continue;
      try {
        const before = await Promise.all(group.map(declared => this.versionOf(declared, run.signal)));
        await this.updateTogether(group, first.scope, run);
        for (const [index, declared] of group.entries()) {
          updated.push({ declared, from: before[index], to: await this.versionOf(declared, run.signal) });
        }
      } catch (error) {
        run.signal.throwIfAborted();
        if (error instanceof InstallRefused) refused.push(...group.map(({ written }) => written));
        else failed.push(...group.map(({ written }) => ({ written, message: messageOf(error) })));
      }
    }
    return { updated, refused, failed };
  }

  private async outdated(
    packages: readonly DeclaredPackage[],
    failed: { written: string; message: string }[],
    run: InstallRun,
  ): Promise<readonly DeclaredPackage[]> {
    const waiting: DeclaredPackage[] = [];
    for (const declared of packages) {
      run.progress(l10n.t('Checking {0}…', declared.written));
      try {
        if ((await this.check(declared, run.signal)).type !== 'current') waiting.push(declared);
      } catch (error) {
        run.signal.throwIfAborted();
        failed.push({ written: declared.written, message: messageOf(error) });
      }
    }
    return waiting;
  }

  private async updateTogether(group: readonly DeclaredPackage[], scope: PackageScope, run: InstallRun): Promise<void> {
    run.progress(l10n.t('Updating {0}…', group.map(({ written }) => written).join(', ')));
    await this.change(scope, async steps => {
      const npm = group.flatMap(({ written, source }) => (source.type === 'npm' ? [{ written, source }] : []));
      const [first] = group;
      const pending =
        npm.length > 0
          ? await this.downloadNpm(npm, scope, { steps, run })
          : first && (await this.download(first.written, first.source, scope, { steps, run }));
      if (pending !== undefined) await this.reviewAndPlace(pending, run, () => Promise.resolve());
    });
  }

  private async versionOf({ source, folder }: DeclaredPackage, signal: AbortSignal): Promise<string | undefined> {
    return source.type === 'git' ? this.parts.git.head(folder, signal) : versionIn(folder);
  }

  private parse(written: string): PackageSource {
    const parsed = parsePackageSource(written, this.parts.places.cwd);
    if (parsed.ok) return parsed.value;
    throw new InstallFailure(parsed.problems.map(({ message }) => message).join(' '));
  }

  private async download(
    written: string,
    source: PackageSource,
    scope: PackageScope,
    work: Work,
  ): Promise<StagedPackages> {
    const { places } = this.parts;
    if (source.type === 'npm') return this.downloadNpm([{ written, source }], scope, work);
    if (source.type === 'git') return downloadGit(this.parts, { places, scope, written, source }, work.steps, work.run);
    await stat(source.path).catch(() => {
      throw new InstallFailure(l10n.t('{0} does not exist.', source.path));
    });
    const packages = [{ written, source, scope, folder: source.path, replaces: undefined, scripts: [] }];
    return { packages, runScripts: () => Promise.resolve(), place: () => Promise.resolve() };
  }

  private downloadNpm(
    packages: readonly { readonly written: string; readonly source: NpmSource }[],
    scope: PackageScope,
    { steps, run }: Work,
  ): Promise<StagedPackages> {
    return downloadNpm(this.parts.npm, { places: this.parts.places, scope, packages }, steps, run);
  }

  /** Lets the review decide about what was downloaded; if it agrees, moves it to its place and declares it. */
  private async reviewAndPlace(pending: StagedPackages, run: InstallRun, declare: () => Promise<void>): Promise<void> {
    run.signal.throwIfAborted();
    const verdict = await this.parts.review(pending.packages, run.signal);
    run.signal.throwIfAborted();
    if (verdict === 'refuse') throw new InstallRefused();
    if (verdict === 'installWithScripts') {
      run.progress(l10n.t('Running install scripts…'));
      await pending.runScripts(run);
      run.signal.throwIfAborted();
    }
    await this.parts.accepted?.(pending.packages);
    await pending.place();
    await declare();
  }

  private async change(scope: PackageScope, work: (steps: Rollback) => Promise<void>): Promise<void> {
    const folder = scope === 'temporary' ? this.parts.places.agentDir : ownFolder(scope, this.parts.places);
    await Rollback.run(async steps => {
      await makeFolder(folder, steps);
      const lock = join(folder, 'packages');
      await withFileLock(lock, () => Rollback.run(work), this.parts.lockWaitMs).catch((error: unknown) => {
        if (!(error instanceof FileLockedError) || error.file !== lock) throw error;
        throw new InstallFailure(
          l10n.t(
            'Another window or program is changing the packages in {0}. It may wait for you to review a package: finish or cancel that, then try again.',
            folder,
          ),
          { cause: error },
        );
      });
    });
  }
}

interface Work {
  readonly steps: Rollback;
  readonly run: InstallRun;
}

/** Groups of packages to update together: the npm packages of a scope, since they share one project; others alone. */
function groups(packages: readonly DeclaredPackage[]): readonly (readonly DeclaredPackage[])[] {
  const npm = (['user', 'project', 'temporary'] as const).map(scope =>
    packages.filter(each => each.source.type === 'npm' && each.scope === scope),
  );
  return [...npm, ...packages.filter(({ source }) => source.type !== 'npm').map(each => [each])];
}
