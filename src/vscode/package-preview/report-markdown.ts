import { join } from 'node:path';
import * as vscode from 'vscode';
import type { PreviewReport, ReportLine } from '../../package-preview/report';
import { escapeMarkdown, relativeLink } from '../pages/markdown-page';

/** A previewed package on a page. */
export interface ReportedPackage {
  readonly report: PreviewReport;
  /** Where it lies, absolute; places in the report start there. */
  readonly folder: string;
  /** What becomes of it, for people. */
  readonly state: string;
}

/** Places shown of one line; the others are counted. */
const MOST_PLACES = 4;

/** Previews in markdown, one below the other. `from` is the folder that the text is written to: links start from there. */
export function reportMarkdown(packages: readonly ReportedPackage[], from: string): string {
  return `${packages.map(each => packageText(each, from)).join('\n\n---\n\n')}\n`;
}

function packageText({ report, folder, state }: ReportedPackage, from: string): string {
  const parts = [
    `# ${escapeMarkdown(report.title)}`,
    ...(report.description === undefined ? [] : [escapeMarkdown(report.description)]),
    report.facts.map(escapeMarkdown).join(' · '),
    `**${escapeMarkdown(state)}**`,
    ...report.sections.flatMap(({ title, lines }) => [
      `## ${escapeMarkdown(title)}`,
      lines.map(line => `- ${lineText(line, folder, from)}`).join('\n'),
    ]),
  ];
  return parts.join('\n\n');
}

const MARKS = { warning: '⚠', added: '**+**', removed: '**−**' } as const;

function lineText({ text, note, tone, places }: ReportLine, folder: string, from: string): string {
  const mark = tone === undefined ? '' : `${MARKS[tone]} `;
  const more = note === undefined ? '' : ` – ${escapeMarkdown(note)}`;
  const shown = places.slice(0, MOST_PLACES).map(({ file, line }) => {
    const label = line === undefined ? file : `${file}:${line}`;
    return `[${escapeMarkdown(label)}](${relativeLink(from, join(folder, file), line)})`;
  });
  const left = places.length - shown.length;
  const rest = left > 0 ? [vscode.l10n.t('and {0} more', left)] : [];
  const where = shown.length === 0 ? '' : ` (${[...shown, ...rest].join(', ')})`;
  return `${mark}${escapeMarkdown(text)}${more}${where}`;
}
