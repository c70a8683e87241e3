import * as vscode from 'vscode';
import { Emitter } from '../../base/event';
import type { Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import type { NpmClient } from '../../packages/install/fetch/npm-client';
import { isOffline } from '../../packages/install/fetch/offline';
import type { PackageInstaller, UpdateReport } from '../../packages/install/package-installer';
import type { InstallRun } from '../../packages/install/fetch/run';
import { switchPart, type Declared } from '../../packages/install/settings-entries';
import { isPinned } from '../../packages/install/pinned';
import type { UpdateState } from '../../packages/install/update-check';
import { packageIdentity, parsePackageSource, type PackagePlaces } from '../../packages/package-source';
import type { ListedPackage } from '../../packages/package-overview';
import type { Packages } from '../../packages/packages';
import { literalMessage } from '../message-text';
import { showFailure } from '../show-failure';
import { showFile } from '../show-file';
import { installedNews } from './installed-news';
import { packageName, partPath, scopeText, type PackageTreeData, type PackageNode } from './package-nodes';
import { pickInstallScope, pickSource } from './package-pick';
import type { PackagesSource } from './packages-view';

/** What is needed to manage packages. */
export interface PackageActionParts {
  readonly packages: Packages;
  readonly installer: PackageInstaller;
  readonly npm: NpmClient;
  readonly places: PackagePlaces;
  readonly decisions: Declared['decisions'];
  /** The open folder, whose settings can declare packages; undefined without a folder or without trust in it. */
  readonly folder: () => string | undefined;
  /** Reads settings, packages and hooks again. */
  readonly refresh: () => Promise<void>;
  readonly log: Log;
}

/** How long the result of a check for updates is used, ms. */
const FRESH_MS = 60 * 60 * 1000;

/** Actions on packages for the view and the Command Palette. Without a package, they ask the user for one. */
export class PackageActions implements Disposable {
  private readonly changeEmitter = new Emitter<void>();
  private readonly updates = new Map<string, UpdateState>();
  private readonly ending = new AbortController();
  private checkedAt = 0;
  private offered = '';
  private readonly reading: Disposable;

  constructor(private readonly parts: PackageActionParts) {
    this.reading = parts.packages.onDidChange(() => {
      this.changeEmitter.fire();
      void this.offerMissing();
    });
    void this.offerMissing();
  }

  /** What the view shows. */
  get source(): PackagesSource {
    return {
      facts: () => this.facts(),
      onDidChange: this.changeEmitter.event,
      seen: () => {
        const isDue = Date.now() - this.checkedAt > FRESH_MS && !isOffline(process.env);
        if (isDue) void this.checkQuietly();
      },
      turn: (node, to) => {
        this.turn(node, to)
          .catch((error: unknown) => {
            void vscode.window.showErrorMessage(literalMessage(messageOf(error)));
          })
          // Redraws the row, so that the checkbox of a part that did not change is restored.
          .finally(() => this.changeEmitter.fire());
      },
    };
  }

  /** Asks what to install and for whom, and installs it. `typed` is the text in the search field at the start. */
  async install(typed?: string): Promise<void> {
    const { npm, places, installer } = this.parts;
    const source = await pickSource(npm, { cwd: places.cwd, typed });
    if (source === undefined) return;
    const scope = await pickInstallScope(source, this.parts.folder());
    if (scope === undefined) return;
    const parsed = parsePackageSource(source, places.cwd);
    // Nothing is fetched for a folder. A progress notification would only flash, and VS Code shows few toasts at a time.
    const isFolder = parsed.ok && parsed.value.type === 'local';
    const done = await this.withProgress(
      vscode.l10n.t('Installing {0}', source),
      run => installer.install(source, scope, run),
      isFolder ? vscode.ProgressLocation.Window : vscode.ProgressLocation.Notification,
    );
    if (done === undefined) return;
    if (done === 'refused') {
      showRefused();
      return;
    }
    await this.parts.refresh();
    this.tellInstalled(source).catch(showFailure);
  }

  /** Says what was installed, with a button for what is next. */
  private async tellInstalled(source: string): Promise<void> {
    const { packages, parts } = this.parts.packages.current;
    const parsed = parsePackageSource(source, this.parts.places.cwd);
    const identity = parsed.ok ? packageIdentity(parsed.value) : undefined;
    const listed = packages.find(({ declared }) => declared.identity === identity);
    if (listed === undefined) {
      void vscode.window.showInformationMessage(literalMessage(vscode.l10n.t('{0} is installed.', source)));
      return;
    }
    const { text, isWarning, next } = installedNews(listed, parts);
    const { showInformationMessage, showWarningMessage } = vscode.window;
    const chosen = await (isWarning ? showWarningMessage : showInformationMessage)(literalMessage(text), next.title);
    if (chosen === next.title) await vscode.commands.executeCommand(next.command);
  }

  /** Updates a package, or installs it when it is missing. */
  async update(argument: unknown): Promise<void> {
    const listed = await this.pickPackage(argument, ({ declared }) => declared.source.type !== 'local');
    if (listed !== undefined) await this.updateThese([listed]);
  }

  /** Updates all packages, and installs those that are missing. */
  updateAll(): Promise<void> {
    return this.updateThese(this.all.filter(({ declared }) => declared.source.type !== 'local'));
  }

  /** Removes a package after the user confirms. */
  async remove(argument: unknown): Promise<void> {
    const listed = await this.pickPackage(argument);
    if (listed === undefined || listed.declared.scope === 'temporary') return;
    const { declared } = listed;
    const { scope } = declared;
    if (scope === 'temporary') return;
    const remove = vscode.l10n.t('Remove');
    const question = vscode.l10n.t('Remove {0} ({1})?', packageName(listed), scopeText(scope));
    if ((await vscode.window.showWarningMessage(question, { modal: true }, remove)) !== remove) return;
    const done = await this.withProgress(vscode.l10n.t('Removing {0}', declared.written), async run => {
      await this.parts.installer.remove(declared, scope, run);
      return true;
    });
    if (done === undefined) return;
    this.updates.delete(keyOf(listed));
    await this.parts.refresh();
  }

  /** Looks for newer versions in the registry and the repositories, and tells the user the result. */
  async check(): Promise<void> {
    const done = await this.withProgress(vscode.l10n.t('Checking for updates of packages'), async ({ signal }) => {
      await this.checkAll(signal);
      return true;
    });
    if (done === undefined) return;
    const outdated = this.all.filter(listed => this.updates.get(keyOf(listed))?.type === 'outdated');
    const update = vscode.l10n.t('Update');
    if (outdated.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('All packages are up to date.'));
      return;
    }
    const names = outdated.map(packageName).join(', ');
    const text = literalMessage(vscode.l10n.t('Updates available: {0}', names));
    if ((await vscode.window.showInformationMessage(text, update)) === update) await this.updateThese(outdated);
  }

  /** Turns a part of a package on or off with a filter in the settings. */
  async turn(argument: unknown, to: 'on' | 'off'): Promise<void> {
    const node = nodeIn(argument);
    if (node?.kind !== 'part') return;
    const { listed, part } = node;
    const { declared, delta } = listed;
    const scope = delta === undefined ? declared.scope : 'project';
    if (scope === 'temporary') return;
    const { places, decisions } = this.parts;
    const about = { identity: declared.identity, scope, places, decisions };
    await switchPart(about, delta ?? declared, { kind: part.kind, path: partPath(listed, part), to });
    await this.parts.refresh();
  }

  async openChangelog(argument: unknown): Promise<void> {
    const has = (listed: ListedPackage): boolean =>
      listed.state !== 'missing' && listed.installed.changelog !== undefined;
    const listed = await this.pickPackage(argument, has);
    if (listed === undefined || listed.state === 'missing' || listed.installed.changelog === undefined) return;
    await showFile(listed.installed.changelog, {});
  }

  /** Shows the package's folder: in the Explorer when it is inside of the workspace, else in the system's file manager. */
  async openFolder(argument: unknown): Promise<void> {
    const listed = await this.pickPackage(argument, ({ state }) => state !== 'missing');
    if (listed === undefined) return;
    const folder = vscode.Uri.file(listed.declared.folder);
    const isInside = vscode.workspace.getWorkspaceFolder(folder) !== undefined;
    await vscode.commands.executeCommand(isInside ? 'revealInExplorer' : 'revealFileInOS', folder);
  }

  dispose(): void {
    this.ending.abort();
    this.reading.dispose();
    this.changeEmitter.dispose();
  }

  private get all(): readonly ListedPackage[] {
    return this.parts.packages.current.packages;
  }

  private facts(): PackageTreeData {
    const { packages, parts } = this.parts.packages.current;
    return { packages, parts, updateOf: listed => this.updates.get(keyOf(listed)) };
  }

  private async updateThese(packages: readonly ListedPackage[]): Promise<void> {
    if (packages.length === 0) return;
    const declared = packages.map(listed => listed.declared);
    const names = packages.map(packageName).join(', ');
    const report = await this.withProgress(vscode.l10n.t('Updating {0}', names), run =>
      this.parts.installer.update(declared, run),
    );
    if (report === undefined) return;
    const left = [...report.refused, ...report.failed.map(({ written }) => written)];
    for (const listed of packages) if (!left.includes(listed.declared.written)) this.updates.delete(keyOf(listed));
    await this.parts.refresh();
    showUpdateReport(report);
  }

  private async checkQuietly(): Promise<void> {
    try {
      await this.checkAll(this.ending.signal);
    } catch (error) {
      this.parts.log.debug(`Hookline could not look for updates of packages: ${messageOf(error)}`);
    }
  }

  private async checkAll(signal: AbortSignal): Promise<void> {
    this.checkedAt = Date.now();
    for (const listed of this.all) {
      const { declared, state } = listed;
      if (state === 'missing' || declared.source.type === 'local' || isPinned(declared.source)) continue;
      this.updates.set(keyOf(listed), await this.parts.installer.check(declared, signal));
    }
    this.changeEmitter.fire();
  }

  /** Tells the user once that packages are missing, and offers to install them. */
  private async offerMissing(): Promise<void> {
    const missing = this.all.filter(({ state, declared }) => state === 'missing' && declared.source.type !== 'local');
    const names = missing.map(({ declared }) => declared.written).join(', ');
    if (names === '' || names === this.offered) return;
    this.offered = names;
    const install = vscode.l10n.t('Install');
    const text = literalMessage(vscode.l10n.t('Packages that are declared but not installed: {0}', names));
    if ((await vscode.window.showInformationMessage(text, install)) !== install) return;
    await this.updateThese(missing);
  }

  /** Does the work with a progress notification. Undefined when the user cancels; the work must then leave nothing changed. */
  private async withProgress<T>(
    title: string,
    work: (run: InstallRun) => Promise<T>,
    location = vscode.ProgressLocation.Notification,
  ): Promise<T | undefined> {
    const options = { location, cancellable: true, title: literalMessage(title) };
    return vscode.window.withProgress(options, async (progress, token) => {
      const controller = new AbortController();
      const cancelling = token.onCancellationRequested(() => controller.abort());
      const signal = AbortSignal.any([controller.signal, this.ending.signal]);
      try {
        return await work({ signal, progress: message => progress.report({ message: literalMessage(message) }) });
      } catch (error) {
        if (!signal.aborted) throw error;
        vscode.window.setStatusBarMessage(vscode.l10n.t('Canceled. Nothing was changed.'), 4_000);
        return undefined;
      } finally {
        cancelling.dispose();
      }
    });
  }

  /** The package of the row that the command was used on; without a row, asks the user. Undefined when none is chosen. */
  private async pickPackage(
    argument: unknown,
    suits: (listed: ListedPackage) => boolean = () => true,
  ): Promise<ListedPackage | undefined> {
    const given = nodeIn(argument)?.listed;
    if (given !== undefined) return given;
    const items = this.all.filter(suits).map(listed => ({
      label: `$(package) ${packageName(listed)}`,
      description: `${listed.declared.written} · ${scopeText(listed.declared.scope)}`,
      listed,
    }));
    if (items.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('There is no such package.'));
      return undefined;
    }
    return (await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('Which package?') }))?.listed;
  }
}

function showRefused(): void {
  vscode.window.setStatusBarMessage(vscode.l10n.t('Not approved. Nothing was changed.'), 4_000);
}

function showUpdateReport({ updated, refused, failed }: UpdateReport): void {
  for (const { written, message } of failed) {
    void vscode.window.showErrorMessage(literalMessage(vscode.l10n.t('{0} was not updated: {1}', written, message)));
  }
  const names = updated.map(({ declared }) => declared.written).join(', ');
  if (updated.length > 0) vscode.window.setStatusBarMessage(vscode.l10n.t('Updated: {0}', names), 4_000);
  else if (refused.length > 0) showRefused();
  else if (failed.length === 0) vscode.window.setStatusBarMessage(vscode.l10n.t('All packages are up to date.'), 4_000);
}

function keyOf({ declared }: ListedPackage): string {
  return `${declared.scope} ${declared.identity}`;
}

/** Reads the argument of a command: a row of the view, or undefined for anything else. */
function nodeIn(argument: unknown): PackageNode | undefined {
  if (typeof argument !== 'object' || argument === null || !('kind' in argument) || !('listed' in argument)) {
    return undefined;
  }
  // Only the view makes objects of this shape, and VS Code passes them on unchanged.
  return argument as PackageNode;
}
