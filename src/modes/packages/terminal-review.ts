import {
  previewInstalled,
  reviewReport,
  stagedToReview,
  type PackageReviewing,
  type PreviewedPackage,
} from '../../package-preview/review';
import { reportText } from '../../package-preview/report-text';
import { approvable } from '../../packages/approval/package-approval';
import type { PackageReview, ReviewVerdict } from '../../packages/install/fetch/staged-package';
import { packageFolder, type PackagePlaces } from '../../packages/package-source';
import type { AskInTerminal } from '../terminal/terminal-question';

export interface TerminalReviewParts extends PackageReviewing {
  readonly places: PackagePlaces;
  /** Whether `--approve-packages` was given: then the user is not asked. */
  readonly approvesAll: boolean;
  /** Whether `--allow-scripts` was given. */
  readonly allowsScripts: boolean;
  /** Undefined when there is no terminal: installed packages then wait for approval. */
  readonly ask: AskInTerminal | undefined;
  /** Writes a line to stderr. */
  readonly printError: (line: string) => void;
}

/** Shows at the terminal what downloaded packages would do, and asks the user to approve them. */
export class TerminalReview {
  private approved: readonly PreviewedPackage[] = [];

  constructor(private readonly parts: TerminalReviewParts) {}

  readonly review: PackageReview = async (staged, signal) => {
    const { approvesAll, allowsScripts, ask, printError } = this.parts;
    const scripts = [...new Set(staged.flatMap(each => each.scripts))];
    const verdict: ReviewVerdict = scripts.length > 0 && allowsScripts ? 'installWithScripts' : 'install';
    const found = await stagedToReview(staged);
    if (found.length > 0 && (approvesAll || ask !== undefined)) {
      const previewed = await Promise.all(found.map(installed => previewInstalled(installed, this.parts, signal)));
      if (!approvesAll && !(await this.isApproved(previewed, verdict, signal))) return 'refuse';
      this.approved = previewed;
    } else if (found.length > 0) {
      const names = found.map(({ declared }) => declared.written).join(', ');
      printError(`Not approved yet, so it will not run: ${names}. --approve-packages approves and runs it.`);
    }
    if (scripts.length > 0 && !allowsScripts) {
      printError(
        `Install scripts were not run: ${scripts.join(', ')}. Install again with --allow-scripts to run them.`,
      );
    }
    return verdict;
  };

  /** Stores the approvals. Call this when the packages are in their place, since scripts may change their content. */
  async keep(): Promise<void> {
    const { approval, places } = this.parts;
    for (const { installed, preview } of this.approved) {
      const { source, scope } = installed.declared;
      await approval.approve(
        { ...approvable(installed), folder: packageFolder(source, scope, places) },
        preview.claims,
      );
    }
  }

  private async isApproved(
    previewed: readonly PreviewedPackage[],
    verdict: ReviewVerdict,
    signal: AbortSignal,
  ): Promise<boolean> {
    const texts = await Promise.all(previewed.map(async each => reportText(await reviewReport(each, this.parts))));
    const what = verdict === 'installWithScripts' ? 'Approve this, and run its install scripts?' : 'Approve this?';
    this.parts.printError(texts.join('\n'));
    const answer = await this.parts.ask?.(`None of it has run yet. ${what} [y/N] `, signal);
    return /^\s*y(?:es)?\s*$/i.test(answer ?? '');
  }
}
