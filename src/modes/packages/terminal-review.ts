import * as l10n from '@vscode/l10n';
import { visibleLine } from '../../base/text/visible-text';
import type { PreviewReport, ReportLine } from '../../package-preview/report';
import {
  approveStaged,
  previewInstalled,
  reviewReport,
  stagedToReview,
  type PackageReviewing,
  type PreviewedPackage,
} from '../../package-preview/review';
import type { Claim } from '../../packages/approval/claim';
import type { AcceptedPackages, PackageReview, ReviewVerdict } from '../../packages/install/fetch/staged-package';
import { confirmInTerminal, type AskInTerminal } from '../terminal/terminal-question';

export interface TerminalReviewParts extends PackageReviewing {
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
  /** The claims of downloaded packages to which the user agreed, by folder of the package. */
  private readonly agreed = new Map<string, readonly Claim[]>();

  constructor(private readonly parts: TerminalReviewParts) {}

  readonly review: PackageReview = async (staged, signal) => {
    const { approvesAll, allowsScripts, ask, printError } = this.parts;
    const scripts = [...new Set(staged.flatMap(each => each.scripts))];
    const verdict: ReviewVerdict = scripts.length > 0 && allowsScripts ? 'installWithScripts' : 'install';
    const found = await stagedToReview(staged);
    if (found.length > 0 && (approvesAll || ask !== undefined)) {
      const previewed = await Promise.all(found.map(installed => previewInstalled(installed, this.parts, signal)));
      if (!approvesAll && !(await this.isApproved(previewed, verdict, signal))) return 'refuse';
      for (const { installed, preview } of previewed) this.agreed.set(installed.declared.folder, preview.claims);
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

  /** Approves downloaded packages to which the user agreed, with what their install scripts made of them. */
  readonly approve: AcceptedPackages = staged => approveStaged(staged, this.agreed, this.parts.approval);

  private async isApproved(
    previewed: readonly PreviewedPackage[],
    verdict: ReviewVerdict,
    signal: AbortSignal,
  ): Promise<boolean> {
    const texts = await Promise.all(previewed.map(async each => reportText(await reviewReport(each, this.parts))));
    const what = verdict === 'installWithScripts' ? 'Approve this, and run its install scripts?' : 'Approve this?';
    this.parts.printError(texts.join('\n'));
    const { ask } = this.parts;
    return ask !== undefined && (await confirmInTerminal(ask, `None of it has run yet. ${what}`, signal)) === true;
  }
}

/** How many lines of a section are shown at most; the page shows all of them. */
const MOST_LINES = 25;

/** A preview as plain text, for a terminal, in which hidden characters are marked. Ends with a newline. */
export function reportText({ title, description, facts, sections }: PreviewReport): string {
  const parts = [
    [title, ...(description === undefined ? [] : [description]), facts.join(' · ')],
    ...sections.map(section => {
      const shown = section.lines.slice(0, MOST_LINES).map(lineText);
      const left = section.lines.length - shown.length;
      const more = left > 0 ? [`  ${l10n.t('… and {0} more', left)}`] : [];
      return [section.title, ...shown, ...more];
    }),
  ];
  return `${parts.map(lines => lines.map(visibleLine).join('\n')).join('\n\n')}\n`;
}

const MARKS = { warning: '!', added: '+', removed: '-' } as const;

function lineText({ text, note, tone, places }: ReportLine): string {
  const [first] = places;
  const more = places.length > 1 ? ` ${l10n.t('and {0} more', places.length - 1)}` : '';
  const at = first === undefined ? '' : `  (${first.file}${first.line === undefined ? '' : `:${first.line}`}${more})`;
  return `${tone === undefined ? ' ' : MARKS[tone]} ${text}${note === undefined ? '' : ` – ${note}`}${at}`;
}
