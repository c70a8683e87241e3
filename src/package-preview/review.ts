import * as l10n from '@vscode/l10n';
import { claimChanges, type Claim } from '../packages/approval/claim';
import { approvable, type PackageApproval } from '../packages/approval/package-approval';
import { packageContent } from '../packages/approval/package-content';
import type { StagedPackage } from '../packages/install/fetch/staged-package';
import type { Releases } from '../packages/install/release-facts';
import { readInstalled, type InstalledPackage } from '../packages/installed';
import { packageIdentity } from '../packages/package-source';
import type { PackagePreview } from './read/preview';
import { previewRequest, type Previewer } from './previewer';
import { previewReport, type PreviewReport } from './report';

/** What is needed to show packages to the user, who then approves or rejects them. */
export interface PackageReviewing {
  readonly previewer: Previewer;
  readonly releases: Releases;
  readonly approval: PackageApproval;
}

/** A package with its preview. */
export interface PreviewedPackage {
  readonly installed: InstalledPackage;
  readonly preview: PackagePreview;
  /** {@link PackageContent.signature} from before the preview; undefined if a file could not be read. */
  readonly signature: string | undefined;
}

/**
 * Previews a package and asks the registry who published it. Runs none of its code; rejects only when `signal` aborts.
 */
export async function previewInstalled(
  installed: InstalledPackage,
  { previewer, releases }: Pick<PackageReviewing, 'previewer' | 'releases'>,
  signal: AbortSignal,
): Promise<PreviewedPackage> {
  const signature = await packageContent(installed.declared.folder, installed.manifest.dependencies).then(
    content => content.signature,
    () => undefined, // The preview names the files that cannot be read.
  );
  const [preview, release] = await Promise.all([
    previewer.preview(previewRequest(installed), signal),
    releases.factsOf(installed, signal),
  ]);
  return { installed, preview: { ...preview, about: { ...preview.about, ...release } }, signature };
}

/**
 * Approves an installed package whose preview the user saw. Rejects when the package was changed since, or cannot be read,
 * or the approval cannot be written.
 */
export async function approvePreviewed(
  { installed, preview, signature }: PreviewedPackage,
  approval: PackageApproval,
): Promise<void> {
  const { folder } = installed.declared;
  const now = await packageContent(folder, installed.manifest.dependencies);
  if (now.signature !== signature) {
    throw new Error(l10n.t('{0} was changed while you looked at its preview. Review it again.', installed.name));
  }
  await approval.approve(approvable(installed), preview.claims);
}

/**
 * Returns the downloaded packages, which need an approval. Local packages need none: the rules for hook files apply to
 * them. Rejects when a package cannot be read.
 */
export async function stagedToReview(staged: readonly StagedPackage[]): Promise<readonly InstalledPackage[]> {
  return Promise.all(staged.filter(({ source }) => source.type !== 'local').map(readStaged));
}

/**
 * Approves the content that downloaded packages have now. `agreed` has the claims that the user agreed to, by folder of the
 * package; each is removed, because it counts once. Other packages are not approved. Rejects when a package cannot be read or the approval cannot be written.
 */
export async function approveStaged(
  staged: readonly StagedPackage[],
  agreed: Map<string, readonly Claim[]>,
  approval: PackageApproval,
): Promise<void> {
  for (const installed of await stagedToReview(staged)) {
    const { folder } = installed.declared;
    const claims = agreed.get(folder);
    agreed.delete(folder);
    if (claims !== undefined) await approval.approve(approvable(installed), claims);
  }
}

async function readStaged({ written, source, scope, folder }: StagedPackage): Promise<InstalledPackage> {
  const identity = packageIdentity(source);
  const read = await readInstalled({ written, source, identity, scope, folder, choice: { type: 'all' } });
  if ('problem' in read) throw new Error(read.problem.message);
  return read;
}

/** Puts the preview into words. If the package was approved before, the report begins with what has changed since. */
export async function reviewReport(
  { installed, preview }: PreviewedPackage,
  { approval }: Pick<PackageReviewing, 'approval'>,
): Promise<PreviewReport> {
  const { name, version, declared } = installed;
  const before = await approval.approvedBefore(declared.identity);
  if (before === undefined) return previewReport(preview, { name });
  const changes = claimChanges(before.claims, preview.claims);
  const isNew = before.version !== version || changes.added.length + changes.removed.length > 0;
  return previewReport(preview, { name, ...(isNew ? { update: { from: before.version, changes } } : {}) });
}
