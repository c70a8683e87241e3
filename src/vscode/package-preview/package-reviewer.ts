import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable';
import {
  approvePreviewed,
  approveStaged,
  previewInstalled,
  reviewReport,
  stagedToReview,
  type PackageReviewing,
  type PreviewedPackage,
} from '../../package-preview/review';
import type { PackagePreview } from '../../package-preview/read/preview';
import type { Claim } from '../../packages/approval/claim';
import type { ReviewVerdict, StagedPackage } from '../../packages/install/fetch/staged-package';
import type { InstalledPackage } from '../../packages/installed';
import type { ListedPackage } from '../../packages/package-overview';
import type { Packages } from '../../packages/packages';
import { literalMessage } from '../message-text';
import { showMarkdown } from '../pages/markdown-page';
import { showFile } from '../show-file';
import { reportMarkdown, type ReportedPackage } from './report-markdown';

/** What the reviewer needs to make previews and to store approvals. */
export interface PackageReviewerParts extends PackageReviewing {
  readonly packages: Packages;
  /** Absolute path of the folder that pages are written below. */
  readonly storageDir: string;
}

/** The text about the state of a package that the page shows. */
type StateOf = (installed: InstalledPackage) => string;

type Present = Exclude<ListedPackage, { readonly state: 'missing' }>;

interface Question {
  readonly names: string;
  readonly previewed: readonly PreviewedPackage[];
  /** The packages have install scripts, so the user is also offered to run them. */
  readonly scripts: boolean;
  readonly signal: AbortSignal;
}

/** Shows what packages would do before any part of them runs, and asks the user to approve them. */
export class PackageReviewer implements Disposable {
  private readonly ending = new AbortController();
  private readonly reading: Disposable;
  private offered = '';
  /** The claims of downloaded packages to which the user agreed, by folder of the package. */
  private readonly agreed = new Map<string, readonly Claim[]>();

  constructor(private readonly parts: PackageReviewerParts) {
    this.reading = parts.packages.onDidChange(() => void this.offer());
    void this.offer();
  }

  /** Shows all packages that need approval on one page, and asks for the approval. */
  async reviewAll(): Promise<void> {
    const waiting = this.waiting();
    if (waiting.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('There is no package to review.'));
      return;
    }
    await this.ask(waiting);
  }

  /** Shows a package and asks for the approval. Resolves with whether the user gave it. */
  async review(installed: InstalledPackage): Promise<boolean> {
    const listed = this.waiting().find(({ declared }) => declared.identity === installed.declared.identity);
    return listed !== undefined && (await this.ask([listed])) === 'install';
  }

  /** Shows one package in any state. Without an argument, the user chooses the package. */
  async show(argument: unknown): Promise<void> {
    const listed = await this.pickPackage(argument, () => true);
    if (listed !== undefined) await this.ask([listed]);
  }

  /** Turns a package off at once, with its tools and commands, or lets it run again. */
  async turn(argument: unknown, to: 'on' | 'off'): Promise<void> {
    const listed = await this.pickPackage(argument, ({ state }) => (state === 'off') === (to === 'on'));
    if (listed !== undefined) await this.parts.approval.turn(listed.declared.identity, to);
  }

  /** Shows what downloaded packages would do, and asks whether to install them; see `PackageReview`. */
  readonly reviewStaged = async (staged: readonly StagedPackage[], signal: AbortSignal): Promise<ReviewVerdict> => {
    const found = await stagedToReview(staged);
    if (found.length === 0) return 'install';
    const previewed = await Promise.all(found.map(installed => previewInstalled(installed, this.parts, signal)));
    const note = vscode.l10n.t('None of it has run yet. It is installed when you approve it.');
    const writePage = await this.showPage(previewed, () => note);
    const scripts = staged.some(each => each.scripts.length > 0);
    const names = previewed.map(({ preview }) => titleOf(preview)).join(', ');
    const verdict = await this.askAbout({ names, previewed, scripts, signal });
    await writePage(() => verdictText(verdict));
    signal.throwIfAborted();
    if (verdict === 'refuse') return verdict;
    for (const { installed, preview } of previewed) this.agreed.set(installed.declared.folder, preview.claims);
    return verdict;
  };

  /** Approves downloaded packages to which the user agreed, with what their install scripts made of them. */
  readonly approveStaged = (staged: readonly StagedPackage[]): Promise<void> =>
    approveStaged(staged, this.agreed, this.parts.approval);

  dispose(): void {
    this.ending.abort();
    this.reading.dispose();
  }

  private get present(): readonly Present[] {
    return this.parts.packages.current.packages.filter(listed => listed.state !== 'missing');
  }

  private waiting(): readonly Present[] {
    return this.present.filter(needsApproval);
  }

  /** Tells the user once that packages need approval. Several, for example those that pi installed before, get one message. */
  private async offer(): Promise<void> {
    const waiting = this.waiting();
    const names = waiting.map(({ installed }) => nameOf(installed)).join(', ');
    if (names === '' || names === this.offered) return;
    this.offered = names;
    const review = vscode.l10n.t('Review');
    const text =
      waiting.length === 1
        ? vscode.l10n.t('The package {0} needs your approval. Its current files do not run until then.', names)
        : vscode.l10n.t('{0} packages need your approval. Their current files do not run until then.', waiting.length);
    if ((await vscode.window.showInformationMessage(literalMessage(text), review)) === review) await this.reviewAll();
  }

  /** The verdict; `refuse` if no package needs approval. */
  private async ask(packages: readonly Present[]): Promise<ReviewVerdict> {
    const { signal } = this.ending;
    const previewed = await this.withProgress(packages);
    const states = new Map(packages.map(listed => [listed.installed, stateText(listed)]));
    const stateOf = (installed: InstalledPackage): string => states.get(installed) ?? '';
    const writePage = await this.showPage(previewed, stateOf);
    const isHeld = (installed: InstalledPackage): boolean =>
      packages.some(each => each.installed === installed && needsApproval(each));
    const held = previewed.filter(({ installed }) => isHeld(installed));
    if (held.length === 0) return 'refuse';
    const names = held.map(({ preview }) => titleOf(preview)).join(', ');
    const verdict = await this.askAbout({ names, previewed: held, scripts: false, signal });
    if (verdict === 'refuse') return verdict;
    for (const each of held) await approvePreviewed(each, this.parts.approval);
    await writePage(installed => (isHeld(installed) ? verdictText(verdict) : stateOf(installed)));
    return verdict;
  }

  /** Asks for the verdict. When the user cancels or the signal aborts, the verdict is `refuse`. */
  private async askAbout({ names, previewed, scripts: hasScripts, signal }: Question): Promise<ReviewVerdict> {
    const approve = previewed.length > 1 ? vscode.l10n.t('Approve All') : vscode.l10n.t('Approve');
    const scripts = vscode.l10n.t('Approve and Run Scripts');
    const refuse = vscode.l10n.t("Don't Run");
    const code = vscode.l10n.t('Show Code');
    const placeHolder = vscode.l10n.t('Approve what the page shows, and run {0}?', names);
    const closing = new vscode.CancellationTokenSource();
    const close = (): void => closing.cancel();
    signal.addEventListener('abort', close, { once: true });
    try {
      for (;;) {
        // The refusal is first, so that an accidental Enter approves nothing. The pick stays open while the user reads.
        const choices = [refuse, code, approve, ...(hasScripts ? [scripts] : [])];
        const options = { placeHolder, ignoreFocusOut: true };
        const chosen = await vscode.window.showQuickPick(choices, options, closing.token);
        if (chosen === approve) return 'install';
        if (chosen === scripts) return 'installWithScripts';
        if (chosen !== code) return 'refuse';
        await showCode(previewed);
      }
    } finally {
      signal.removeEventListener('abort', close);
      closing.dispose();
    }
  }

  /** Shows the page. Resolves with a function that writes the page again with other states; an open page then updates. */
  private async showPage(
    previewed: readonly PreviewedPackage[],
    state: StateOf,
  ): Promise<(state: StateOf) => Promise<void>> {
    const folder = join(this.parts.storageDir, 'package-previews');
    const reports = await Promise.all(
      previewed.map(async each => ({ ...each, report: await reviewReport(each, this.parts) })),
    );
    const [first] = previewed;
    const name = previewed.length === 1 && first !== undefined ? nameOf(first.installed) : 'packages';
    const file = join(folder, `${name.replaceAll(/[^\w.-]+/g, '-')}.md`);
    const textOf = (stateOf: StateOf): string => {
      const pages = reports.map(({ installed, preview, report }): ReportedPackage => ({
        report,
        folder: preview.folder,
        state: stateOf(installed),
      }));
      return reportMarkdown(pages, folder);
    };
    await showMarkdown(file, textOf(state));
    return later => writeFile(file, textOf(later));
  }

  private async withProgress(packages: readonly Present[]): Promise<readonly PreviewedPackage[]> {
    const names = packages.map(({ installed }) => nameOf(installed)).join(', ');
    const title = literalMessage(vscode.l10n.t('Reading {0}…', names));
    return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () =>
      Promise.all(packages.map(({ installed }) => previewInstalled(installed, this.parts, this.ending.signal))),
    );
  }

  private async pickPackage(argument: unknown, suits: (listed: Present) => boolean): Promise<Present | undefined> {
    const given = identityIn(argument);
    const fitting = this.present.filter(suits);
    if (given !== undefined) return this.present.find(({ declared }) => declared.identity === given);
    if (fitting.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('There is no such package.'));
      return undefined;
    }
    const items = fitting.map(listed => ({
      label: `$(package) ${nameOf(listed.installed)}`,
      description: listed.declared.written,
      listed,
    }));
    return (await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('Which package?') }))?.listed;
  }
}

/** The identity of the package in a row of the packages view; undefined for anything else. */
function identityIn(argument: unknown): string | undefined {
  if (typeof argument !== 'object' || argument === null || !('listed' in argument)) return undefined;
  const { listed } = argument;
  if (typeof listed !== 'object' || listed === null || !('declared' in listed)) return undefined;
  const { declared } = listed;
  const isDeclared = typeof declared === 'object' && declared !== null && 'identity' in declared;
  return isDeclared && typeof declared.identity === 'string' ? declared.identity : undefined;
}

function nameOf({ name }: InstalledPackage): string {
  return name;
}

function titleOf({ about, folder }: PackagePreview): string {
  return [about.name ?? folder, about.version].filter(part => part !== undefined).join(' ');
}

function needsApproval(listed: Present): boolean {
  return listed.state === 'held' && listed.reason !== 'unreadable';
}

function verdictText(verdict: ReviewVerdict): string {
  return verdict === 'refuse'
    ? vscode.l10n.t('You did not approve it. None of it has run.')
    : vscode.l10n.t('You approved it.');
}

function stateText(listed: Present): string {
  switch (listed.state) {
    case 'held':
      return vscode.l10n.t('It does not run: {0}', listed.why);
    case 'untrusted':
      return vscode.l10n.t('It is held back until this folder is trusted.');
    case 'off':
      return vscode.l10n.t('You turned it off.');
    case 'runs':
      return listed.declared.source.type === 'local'
        ? vscode.l10n.t('It runs: local packages follow the rules of hook files.')
        : vscode.l10n.t('It runs. You approved it.');
  }
}

/** Opens the first extension of each package beside the page, or its package.json when it has none. */
async function showCode(previewed: readonly PreviewedPackage[]): Promise<void> {
  for (const { installed, preview } of previewed) {
    const [entry] = installed.parts.filter(({ kind }) => kind === 'extensions');
    await showFile(
      entry?.path ?? join(preview.folder, 'package.json'),
      {},
      {
        preview: false,
        viewColumn: vscode.ViewColumn.Beside,
      },
    );
  }
}
