import { isDeepStrictEqual } from 'node:util';
import * as l10n from '@vscode/l10n';
import { defined } from '../../base/defined';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Problem } from '../../base/result';
import type { InstalledPackage } from '../installed';
import type { PackageGate, PackageVerdict } from '../package-gate';
import { ApprovalFile, claimsOf, type PackageApprovals, type ApprovedVersion } from './approval-file';
import type { Claim } from './claim';
import type { EarlyLook } from './early-looks';
import { packageContent, type PackageContent } from './package-content';

/** What {@link PackageApproval} needs. */
export interface PackageApprovalParts {
  /** Absolute; `~/.pi/agent` by default. */
  readonly agentDir: string;
  /** What the user must do to let a package run; ends the message for a held package. */
  readonly howTo: string;
  /** Present if the user approves all packages in advance (`--approve-packages`): finds what a package would do. */
  readonly approvesWith?: (installed: InstalledPackage) => Promise<readonly Claim[]>;
  /** The look at a folder that began with the process. It is given once, while hooks are loaded for the first time. */
  readonly takeEarlyLook?: (folder: string) => Promise<EarlyLook | undefined>;
}

/**
 * Lets a package run only if the user approved exactly this content of it. Local packages need no approval: like other
 * hook files, they are held only when the agent changes them. Any package can be turned off, so while nobody knows which
 * ones are, all are held.
 */
export class PackageApproval implements PackageGate, Disposable {
  readonly file: ApprovalFile;
  private readonly store = new DisposableStore();
  private readonly changeEmitter = this.store.add(new Emitter<void>());
  readonly onDidChange = this.changeEmitter.event;
  private problem: Problem | undefined;

  constructor(private readonly parts: PackageApprovalParts) {
    this.file = new ApprovalFile(parts.agentDir);
  }

  /** What was wrong with the file of approvals when it was last read. */
  get problems(): readonly Problem[] {
    return this.problem === undefined ? [] : [this.problem];
  }

  async verdictOn(installed: InstalledPackage): Promise<PackageVerdict> {
    const { declared } = installed;
    const approvals = await this.read();
    if (approvals === undefined) {
      const why = l10n.t('it is not known whether you turned it off, because {0} cannot be used.', this.file.path);
      return { type: 'held', reason: 'unreadable', why };
    }
    if (approvals.off?.includes(declared.identity) === true) return { type: 'off' };
    if (declared.source.type === 'local') return { type: 'runs' };
    try {
      return await this.judge(installed, approvals);
    } catch (error) {
      return { type: 'held', reason: 'unreadable', why: l10n.t('its files cannot be read: {0}', messageOf(error)) };
    }
  }

  /** Approves the current content of a package, with the claims of its preview. Rejects when that cannot be written. */
  async approve(installed: Approvable, claims: readonly Claim[]): Promise<void> {
    const content = await packageContent(installed.folder, installed.dependencies);
    await this.keep(installed, content, claims);
    this.changeEmitter.fire();
  }

  /** Turns a package off or on in all windows. Rejects when that cannot be written. */
  async turn(identity: string, state: 'on' | 'off'): Promise<void> {
    await this.file.turn(identity, state === 'off');
    this.changeEmitter.fire();
  }

  /** The version that was approved last, with its claims; undefined when none was approved. */
  async approvedBefore(
    identity: string,
  ): Promise<{ readonly version?: string; readonly claims: readonly Claim[] } | undefined> {
    const latest = (await this.read())?.approved?.[identity]?.at(-1);
    if (latest === undefined) return undefined;
    return { claims: claimsOf(latest), ...defined({ version: latest.version }) };
  }

  dispose(): void {
    this.store.dispose();
  }

  private async judge(installed: InstalledPackage, approvals: PackageApprovals): Promise<PackageVerdict> {
    const { declared, manifest } = installed;
    const versions = approvals.approved?.[declared.identity] ?? [];
    if (await this.wereApproved(installed, versions)) return { type: 'runs' };
    const content = await packageContent(declared.folder, manifest.dependencies);
    if (versions.some(({ signature }) => signature === content.signature)) return { type: 'runs' };
    const hash = versions.length > 0 ? await content.hash() : '';
    const known = versions.find(each => each.hash === hash);
    if (known !== undefined) {
      await this.remember(declared.identity, known, content);
      return { type: 'runs' };
    }
    const claims = await this.parts.approvesWith?.(installed);
    if (claims !== undefined) {
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

  /** Whether an early look found approved files. If it did not, another look decides. */
  private async wereApproved(
    { declared, manifest }: InstalledPackage,
    versions: readonly ApprovedVersion[],
  ): Promise<boolean> {
    const early = await this.parts.takeEarlyLook?.(declared.folder);
    if (early === undefined || !isDeepStrictEqual(early.dependencies, manifest.dependencies)) return false;
    return versions.some(({ signature }) => signature === early.signature);
  }

  /** Stores the new signature of files whose content did not change, so that they need not be hashed again. */
  private async remember(identity: string, known: ApprovedVersion, { signature }: PackageContent): Promise<void> {
    await this.file.approve(identity, { ...known, signature }).catch(() => undefined); // Else they are hashed again.
  }

  private async keep(
    { identity, version }: Approvable,
    content: PackageContent,
    claims: readonly Claim[],
  ): Promise<void> {
    const { signature } = content;
    await this.file.approve(identity, {
      ...defined({ version }),
      hash: await content.hash(),
      signature,
      approvedAt: new Date().toISOString(),
      claims: claims.map(({ kind, name, detail }) => ({ kind, name, ...defined({ detail }) })),
    });
  }

  /** The user's decisions; undefined if the file cannot be used. */
  private async read(): Promise<PackageApprovals | undefined> {
    const read = await this.file.read();
    this.problem = read.ok ? undefined : read.problems[0];
    return read.ok ? read.value : undefined;
  }
}

/** A package whose content can be approved, in any folder. */
export interface Approvable {
  readonly identity: string;
  readonly version?: string;
  /** Absolute. */
  readonly folder: string;
  /** The names of the dependencies in its package.json. */
  readonly dependencies: readonly string[];
}

/** Converts an installed package for {@link PackageApproval.approve}. */
export function approvable({ declared, version, manifest }: InstalledPackage): Approvable {
  const { identity, folder } = declared;
  return { identity, folder, dependencies: manifest.dependencies, ...defined({ version }) };
}
