import type { Question } from '../../conversation/questions/dialogs';

/** Width of a quick pick's title and placeholder, in characters, before VS Code clips them. */
const LINE = 80;

/** A question cut down to the two single lines that a pick or an input box can show. */
export interface QuestionText {
  /** The question in one line. */
  readonly line: string;
  /** What it is about, in one line; empty when it is about no tool call. */
  readonly about: string;
  /** True when the lines say less than the question: the full text must then be offered. */
  readonly clipped: boolean;
  /** Everything, for a page of its own. */
  readonly full: string;
}

/** Shortens a question without hiding that it was shortened. Control and bidi characters are made visible. */
export function questionText(question: Question): QuestionText {
  const line = oneLine([question.title, question.message]);
  const about = oneLine([question.about ?? '']);
  return {
    line: clip(line),
    about: clip(about),
    clipped: line.length > LINE || about.length > LINE,
    full: [question.about ?? '', question.title, question.message]
      .map(part => visible(part).trim())
      .filter(part => part !== '')
      .join('\n\n'),
  };
}

/** An option as the label of a pick's item; further lines become its detail. */
export function optionText(option: string): { readonly label: string; readonly detail?: string } {
  const [first = '', ...rest] = linesOf(option);
  return rest.length === 0 ? { label: clip(first) } : { label: clip(first), detail: rest.join(' ') };
}

function clip(line: string): string {
  return line.length <= LINE ? line : `${line.slice(0, LINE - 1)}…`;
}

function oneLine(parts: readonly string[]): string {
  return parts.flatMap(linesOf).reduce((joined, line) => {
    if (joined === '') return line;
    return /[:?!.,;]$/.test(joined) ? `${joined} ${line}` : `${joined} · ${line}`;
  }, '');
}

function linesOf(text: string): string[] {
  return visible(text)
    .split('\n')
    .map(line => line.replace(/\s+/g, ' ').trim())
    .filter(line => line !== '');
}

/** What could reorder or hide the text around it (a command that reads differently than it runs) shows as a mark. */
function visible(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[\p{Cc}\p{Cf}]/gu, sign => (/[\n\t]/.test(sign) ? sign : '\uFFFD'));
}
