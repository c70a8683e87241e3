import * as l10n from '@vscode/l10n';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Problem } from '../../base/result';
import type { InstalledPackage } from '../installed';
import type { PackageGate, PackageVerdict } from '../package-gate';
import { ApprovalFile, claimsOf, type PackageApprovals, type ApprovedVersion } from './approval-file';
import type { Claim } from './claim';
import { packageContent, type PackageContent } from './package-content';

/** What approvals are kept with. */
export interface PackageApprovalParts {
  /** `~/.pi/agent` or its override. */
  readonly agentDir: string;
  /** What a user does to let a package run, for refusals. */
  readonly howTo: string;
  /** Given where the user approves everything beforehand (`--approve-packages`): tells what a package would do. */
  readonly approvesWith?: (installed: InstalledPackage) => Promise<readonly Claim[]>;
}

/**
 * Lets packages run that a user approved, version by version and content by content. Local ones follow the rules of hook
 * files: they need no approval, and what the agent changes of them waits. Turning one off counts for all of them.
 */
export class PackageApproval implements PackageGate, Disposable {
  readonly file: ApprovalFile;
  private readonly store = new DisposableStore();
  private readonly changeEmitter = this.store.add(new Emitter<void>());
  readonly onDidChange = this.changeEmitter.event;
  /** Identities whose next content is approved: a user agreed to scripts that change it. */
  private readonly awaited = new Map<string, readonly Claim[]>();
  private problem: Problem | undefined;

  constructor(private readonly parts: PackageApprovalParts) {
    this.file = new ApprovalFile(parts.agentDir);
  }

  /** What is wrong with the file of approvals. */
  get problems(): readonly Problem[] {
    return this.problem === undefined ? [] : [this.problem];
  }

  async verdictOn(installed: InstalledPackage): Promise<PackageVerdict> {
    const { declared } = installed;
    const approvals = await this.read();
    if (approvals.off?.includes(declared.identity) === true) return { type: 'off' };
    if (declared.source.type === 'local') return { type: 'runs' };
    try {
      return await this.judge(installed, approvals);
    } catch (error) {
      return { type: 'held', reason: 'unreadable', why: l10n.t('its files cannot be read: {0}', messageOf(error)) };
    }
  }

  /** Approves a package as it is there now, with what its preview says. Rejects when that cannot be written. */
  async approve(installed: Approvable, claims: readonly Claim[]): Promise<void> {
    const content = await packageContent(installed.folder, installed.dependencies);
    await this.keep(installed, content, claims);
    this.changeEmitter.fire();
  }

  /** Approves what will be there when the scripts have run that a user agreed to. */
  awaitContent(identity: string, claims: readonly Claim[]): void {
    this.awaited.set(identity, claims);
  }

  /** Turns a package off, at once and in all windows, or on again. Rejects when that cannot be written. */
  async turn(identity: string, state: 'on' | 'off'): Promise<void> {
    await this.file.turn(identity, state === 'off');
    this.changeEmitter.fire();
  }

  /** What the version said that was approved last; undefined when none was. */
  async approvedBefore(
    identity: string,
  ): Promise<{ readonly version?: string; readonly claims: readonly Claim[] } | undefined> {
    const latest = (await this.read()).approved?.[identity]?.at(-1);
    if (latest === undefined) return undefined;
    return { claims: claimsOf(latest), ...(latest.version === undefined ? {} : { version: latest.version }) };
  }

  /** Another window or process may have written the file. */
  changedOutside(): void {
    this.changeEmitter.fire();
  }

  dispose(): void {
    this.store.dispose();
  }

  private async judge(installed: InstalledPackage, approvals: PackageApprovals): Promise<PackageVerdict> {
    const { declared, manifest } = installed;
    const content = await packageContent(declared.folder, manifest.dependencies);
    const versions = approvals.approved?.[declared.identity] ?? [];
    if (versions.some(({ signature }) => signature === content.signature)) return { type: 'runs' };
    const awaited = this.awaited.get(declared.identity);
    const hash = versions.length > 0 ? await content.hash() : '';
    const known = versions.find(each => each.hash === hash);
    if (known !== undefined) {
      await this.remember(declared.identity, known, content);
      return { type: 'runs' };
    }
    const claims = awaited ?? (await this.parts.approvesWith?.(installed));
    if (claims !== undefined) {
      this.awaited.delete(declared.identity);
      await this.keep(approvable(installed), content, claims);
      return { type: 'runs' };
    }
    const isUpdated = versions.some(({ version }) => version !== installed.version);
    const why =
      versions.length === 0
        ? l10n.t('it is not approved yet; {0}', this.parts.howTo)
        : isUpdated
          ? l10n.t('this version is not approved yet; {0}', this.parts.howTo)
          : l10n.t('its files were changed since it was approved; {0}', this.parts.howTo);
    return { type: 'held', reason: versions.length === 0 ? 'new' : 'changed', why };
  }

  /** The files are the same although they were written again; next time a look is enough. */
  private async remember(identity: string, known: ApprovedVersion, { signature }: PackageContent): Promise<void> {
    await this.file.approve(identity, { ...known, signature }).catch(() => undefined); // Next time they are read again.
  }

  private async keep(
    { identity, version }: Approvable,
    content: PackageContent,
    claims: readonly Claim[],
  ): Promise<void> {
    const { signature } = content;
    await this.file.approve(identity, {
      ...(version === undefined ? {} : { version }),
      hash: await content.hash(),
      signature,
      approvedAt: new Date().toISOString(),
      claims: claims.map(({ kind, name, detail }) => ({ kind, name, ...(detail === undefined ? {} : { detail }) })),
    });
  }

  private async read(): Promise<PackageApprovals> {
    const read = await this.file.read();
    this.problem = read.ok ? undefined : read.problems[0];
    return read.ok ? read.value : {};
  }
}

/** A package whose content can be approved, wherever it lies. */
export interface Approvable {
  readonly identity: string;
  readonly version?: string;
  /** Absolute. */
  readonly folder: string;
  /** Names of what its package.json needs. */
  readonly dependencies: readonly string[];
}

/** An installed package, as {@link PackageApproval.approve} takes it. */
export function approvable({ declared, version, manifest }: InstalledPackage): Approvable {
  const { identity, folder } = declared;
  return { identity, folder, dependencies: manifest.dependencies, ...(version === undefined ? {} : { version }) };
}
