import * as l10n from '@vscode/l10n';
import type { PreviewReport, ReportLine } from './report';

/** Lines of one section at most; the page shows them all. */
const MOST_LINES = 25;

/** A preview as plain text, for a terminal. Ends with a newline. */
export function reportText({ title, description, facts, sections }: PreviewReport): string {
  const parts = [
    [title, ...(description === undefined ? [] : [description]), facts.join(' · ')].join('\n'),
    ...sections.map(section => {
      const shown = section.lines.slice(0, MOST_LINES).map(lineText);
      const left = section.lines.length - shown.length;
      const more = left > 0 ? [`  ${l10n.t('… and {0} more', left)}`] : [];
      return [section.title, ...shown, ...more].join('\n');
    }),
  ];
  return `${parts.map(withoutControls).join('\n\n')}\n`;
}

const MARKS = { warning: '!', added: '+', removed: '-' } as const;

function lineText({ text, note, tone, places }: ReportLine): string {
  const [first] = places;
  const more = places.length > 1 ? ` ${l10n.t('and {0} more', places.length - 1)}` : '';
  const at = first === undefined ? '' : `  (${first.file}${first.line === undefined ? '' : `:${first.line}`}${more})`;
  return `${tone === undefined ? ' ' : MARKS[tone]} ${text}${note === undefined ? '' : ` – ${note}`}${at}`;
}

/** What a package says of itself must not move a terminal's cursor. */
function withoutControls(text: string): string {
  // eslint-disable-next-line no-control-regex -- these are what is meant
  return text.replace(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/g, ' ');
}
