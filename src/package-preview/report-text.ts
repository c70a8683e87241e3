import * as l10n from '@vscode/l10n';
import { visibleLine } from '../base/text/visible-text';
import type { PreviewReport, ReportLine } from './report';

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
