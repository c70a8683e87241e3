import { claimChanges } from '../packages/approval/claim';
import type { PackageApproval } from '../packages/approval/package-approval';
import type { StagedPackage } from '../packages/install/fetch/staged-package';
import type { Releases } from '../packages/install/release-facts';
import { readInstalled, type InstalledPackage } from '../packages/installed';
import { packageIdentity } from '../packages/package-source';
import type { PackagePreview } from './preview';
import { previewRequest, type Previewer } from './previewer';
import { previewReport, type PreviewReport } from './report';

/** What packages are previewed with before a user decides about them. */
export interface PackageReviewing {
  readonly previewer: Previewer;
  readonly releases: Releases;
  readonly approval: PackageApproval;
}

/** A package and what its text says that it would do. */
export interface PreviewedPackage {
  readonly installed: InstalledPackage;
  readonly preview: PackagePreview;
}

/** Reads what a package would do, and asks who published it. Runs nothing of it; rejects only when `signal` ends it. */
export async function previewInstalled(
  installed: InstalledPackage,
  { previewer, releases }: Pick<PackageReviewing, 'previewer' | 'releases'>,
  signal: AbortSignal,
): Promise<PreviewedPackage> {
  const [preview, release] = await Promise.all([
    previewer.preview(previewRequest(installed), signal),
    releases.factsOf(installed, signal),
  ]);
  return { installed, preview: { ...preview, about: { ...preview.about, ...release } } };
}

/** Downloaded packages that need an approval: those that are on this machine follow the rules of hook files. */
export async function stagedToReview(staged: readonly StagedPackage[]): Promise<readonly InstalledPackage[]> {
  return Promise.all(staged.filter(({ source }) => source.type !== 'local').map(readStaged));
}

async function readStaged({ written, source, scope, folder }: StagedPackage): Promise<InstalledPackage> {
  const identity = packageIdentity(source);
  const read = await readInstalled({ written, source, identity, scope, folder, choice: { type: 'all' } });
  if ('problem' in read) throw new Error(read.problem.message);
  return read;
}

/** The preview in words; of a package that was approved before, it begins with what is different since. */
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
