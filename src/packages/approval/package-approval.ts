import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as l10n from '@vscode/l10n';
import { defined } from '../../base/defined';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Log } from '../../base/log';
import type { Problem } from '../../base/result';
import type { InstalledPackage } from '../installed';
import type { PackageGate, PackageVerdict } from '../package-gate';
import type { PackagePlaces } from '../package-source';
import { ApprovedCopies, type CopiedPackage } from './approved-copies';
import { ApprovalFile, claimsOf, type PackageApprovals, type ApprovedVersion } from './approval-file';
import type { Claim } from './claim';
import type { EarlyLook } from './early-looks';
import { packageContent, type PackageContent } from './package-content';
import { PackageDecisions } from './package-decisions';

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
  /** Where approved content and decisions are kept besides; when absent, they are not. */
  readonly memory?: PackageMemory;
  readonly log?: Log;
}

/** What is kept of packages outside of the agent folder. */
export interface PackageMemory {
  readonly copies: ApprovedCopies;
  readonly decisions: PackageDecisions;
}

/** Opens what is kept of packages in the state folder, an absolute path. */
export function openPackageMemory(stateDir: string, { agentDir, cwd }: PackagePlaces): PackageMemory {
  const key = createHash('sha256').update(agentDir).digest('hex').slice(0, 24);
  const dir = join(stateDir, 'approved-packages', key);
  return { copies: new ApprovedCopies(dir), decisions: new PackageDecisions(dir, cwd) };
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
      const why = l10n.t('its files cannot be read: {0}', messageOf(error));
      return { type: 'held', reason: 'unreadable', why, ...gates(versionsOf(declared, approvals)) };
    }
  }

  async gatesTools(identity: string): Promise<boolean> {
    const approvals = await this.read();
    const isOff = approvals?.off?.includes(identity) === true;
    return !isOff && gates(versionsOf({ identity }, approvals ?? {})).gatesTools === true;
  }

  /** Approves the current content of a package, with the claims of its preview. Rejects when that cannot be written. */
  async approve(installed: Approvable, claims: readonly Claim[]): Promise<void> {
    const content = await packageContent(installed.folder, installed.dependencies);
    await this.keep(installed, content, claims);
    this.changeEmitter.fire();
  }

  /** Approves a version again whose approval was removed. Rejects when that cannot be written. */
  async approveAgain(identity: string, version: ApprovedVersion): Promise<void> {
    await this.file.approve(identity, version);
    this.changeEmitter.fire();
  }

  /** Turns a package off or on in all windows. Rejects when that cannot be written. */
  async turn(identity: string, state: 'on' | 'off'): Promise<void> {
    await this.parts.memory?.decisions.note(identity, { off: state === 'off' });
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
    const versions = versionsOf(declared, approvals);
    const early = await this.approvedEarly(installed, versions);
    if (early !== undefined) return this.runs(installed, early);
    const content = await packageContent(declared.folder, manifest.dependencies);
    const same = versions.find(({ signature }) => signature === content.signature);
    if (same !== undefined) return this.runs(installed, same);
    const hash = versions.length > 0 ? await content.hash() : '';
    const known = versions.find(each => each.hash === hash);
    if (known !== undefined) {
      await this.remember(declared.identity, known, content);
      return this.runs(installed, known);
    }
    const claims = await this.parts.approvesWith?.(installed);
    if (claims !== undefined) return { type: 'runs', content: await this.keep(approvable(installed), content, claims) };
    const isUpdated = versions.some(({ version }) => version !== installed.version);
    const why =
      versions.length === 0
        ? l10n.t('it is not approved yet; {0}', this.parts.howTo)
        : isUpdated
          ? l10n.t('this version is not approved yet; {0}', this.parts.howTo)
          : l10n.t('its files were changed since it was approved; {0}', this.parts.howTo);
    return { type: 'held', reason: versions.length === 0 ? 'new' : 'changed', why, ...gates(versions) };
  }

  /** Packages that were approved before there were copies get one now; nobody waits for it. */
  private runs({ declared, manifest }: InstalledPackage, { hash }: ApprovedVersion): PackageVerdict {
    void this.copy(hash, { folder: declared.folder, dependencies: manifest.dependencies });
    return { type: 'runs', content: hash };
  }

  /** The version that an early look found. If it found none, another look decides. */
  private async approvedEarly(
    { declared, manifest }: InstalledPackage,
    versions: readonly ApprovedVersion[],
  ): Promise<ApprovedVersion | undefined> {
    const early = await this.parts.takeEarlyLook?.(declared.folder);
    if (early === undefined || !isDeepStrictEqual(early.dependencies, manifest.dependencies)) return undefined;
    return versions.find(({ signature }) => signature === early.signature);
  }

  /** Stores the new signature of files whose content did not change, so that they need not be hashed again. */
  private async remember(identity: string, known: ApprovedVersion, { signature }: PackageContent): Promise<void> {
    await this.file.approve(identity, { ...known, signature }).catch(() => undefined); // Else they are hashed again.
  }

  /** Resolves with the hash of the content. */
  private async keep(about: Approvable, content: PackageContent, claims: readonly Claim[]): Promise<string> {
    const { identity, version } = about;
    const { signature } = content;
    const hash = await content.hash();
    await this.copy(hash, about);
    const approved: ApprovedVersion = {
      ...defined({ version }),
      hash,
      signature,
      approvedAt: new Date().toISOString(),
      claims: claims.map(({ kind, name, detail }) => ({ kind, name, ...defined({ detail }) })),
    };
    await this.parts.memory?.decisions.note(identity, { approved });
    await this.file.approve(identity, approved);
    const versions = Object.values((await this.read())?.approved ?? {}).flat();
    await this.parts.memory?.copies.prune(new Set(versions.map(version => version.hash)));
    return hash;
  }

  /** Without a copy, tools of a package that gates them are closed while a change of it is held. */
  private async copy(hash: string, about: CopiedPackage): Promise<void> {
    try {
      await this.parts.memory?.copies.keep(hash, about);
    } catch (error) {
      this.parts.log?.warn(`No copy of ${about.folder} is kept: ${messageOf(error)}`);
    }
  }

  /** The user's decisions; undefined if the file cannot be used. */
  private async read(): Promise<PackageApprovals | undefined> {
    const read = await this.file.read();
    this.problem = read.ok ? undefined : read.problems[0];
    return read.ok ? read.value : undefined;
  }
}

function versionsOf(
  { identity }: { readonly identity: string },
  { approved }: PackageApprovals,
): readonly ApprovedVersion[] {
  return approved?.[identity] ?? [];
}

/** Whether one of these versions gates tools, as its preview found. */
function gates(versions: readonly ApprovedVersion[]): { readonly gatesTools?: true } {
  return versions.some(({ claims }) => claims.some(({ kind, name }) => kind === 'gate' && name === 'tool_call'))
    ? { gatesTools: true }
    : {};
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
