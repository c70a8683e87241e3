import { join } from 'node:path';
import * as vscode from 'vscode';
import type { PreviewReport, ReportLine } from '../../package-preview/report';
import { escapeMarkdown, relativeLink } from '../pages/markdown-page';

/** A package that a page shows. */
export interface ReportedPackage {
  readonly report: PreviewReport;
  /** Absolute path of the package; files in the report are relative to it. */
  readonly folder: string;
  /** A text that says whether the package runs. */
  readonly state: string;
}

/** At most this many places are shown in one line; the rest are counted. */
const MOST_PLACES = 4;

/** The previews as Markdown, one below the other. Links are relative to `from`, the folder that the text is written to. */
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
