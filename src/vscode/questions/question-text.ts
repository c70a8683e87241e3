import { clipped, clippedInside } from '../../base/text/clipped';
import { singleLine } from '../../base/text/single-line';
import { visibleText } from '../../base/text/visible-text';
import { askedWrite } from '../../session/ports/asked-write';
import type { Question } from '../../session/ports/dialogs';

/** An added line, or a removed one with its number. A line such as `- 2 tests` is an item of a list. */
const CHANGED_LINE = /^(?:\+(?: *\d+)? |-\d+ )/m;
/** A removed line with a padded number, beside a line that stays. */
const REMOVED_LINE = /^- +\d+ .*\n^ +\d+ |^ +\d+ .*\n^- +\d+ /m;
/** Any line of a difference, with or without its number, or an empty line. */
const DIFF_LINE = /^(?:[-+] |[-+ ] *\d+ | +\.\.\.$|$)/;

/** How many characters VS Code shows of a quick pick's title and placeholder. */
const LINE = 80;

/** A question, shortened to the two lines that a pick or an input box can show. */
export interface QuestionText {
  /** The question on one line, without a line of its own for what `about` has whole. */
  readonly line: string;
  /** The tool call that the question is about, on one line; empty when there is none. */
  readonly about: string;
  /** True when a line was shortened, so that the full text must be offered. */
  readonly clipped: boolean;
  /** The full text, for a separate page. */
  readonly full: string;
  /** True when the question contains a difference, which is not on the line. */
  readonly hasDiff: boolean;
  /** True when the question is about a call that writes a file. */
  readonly isAboutWrite: boolean;
}

/** Shortens a question; `…` marks what was cut. Hidden characters are marked. */
export function questionText(question: Question): QuestionText {
  const before = beforeDiff(question.message);
  const hasDiff = before !== undefined;
  const called = aboutText(question);
  const about = oneLine(linesOf(called));
  const lines = [question.title, before ?? question.message].flatMap(linesOf);
  const line = oneLine(about.length > LINE ? lines : withoutCall(lines, question.about?.summary ?? ''));
  return {
    line: hasDiff ? `${clippedInside(line, LINE - 2)} …` : clippedInside(line, LINE),
    about: clippedInside(about, LINE),
    clipped: hasDiff || line.length > LINE || about.length > LINE,
    full: [called, question.title, question.message]
      .map(part => visibleText(part).trim())
      .filter(part => part !== '')
      .join('\n\n'),
    hasDiff,
    isAboutWrite: askedWrite(question) !== undefined,
  };
}

/**
 * The part of a message before the difference that it ends with; undefined when it ends with none. Lines that look like a
 * difference but have other text after them are part of what the user approves, such as a command.
 */
function beforeDiff(message: string): string | undefined {
  const lines = message.split('\n');
  const start = lines.findLastIndex(line => !DIFF_LINE.test(line)) + 1;
  const end = lines.slice(start).join('\n');
  if (!CHANGED_LINE.test(end) && !REMOVED_LINE.test(end)) return undefined;
  return lines.slice(0, start).join('\n');
}

/** An option as an item of a pick: its first line is the label, further lines are the detail. */
export function optionText(option: string): { readonly label: string; readonly detail?: string } {
  const [first = '', ...rest] = linesOf(option);
  return rest.length === 0 ? { label: clipped(first, LINE) } : { label: clipped(first, LINE), detail: rest.join(' ') };
}

function aboutText({ about }: Question): string {
  return about === undefined ? '' : [about.tool, about.summary].filter(part => part !== '').join(': ');
}

/** All lines but those that only repeat what is called. */
function withoutCall(lines: readonly string[], summary: string): readonly string[] {
  const [call, ...more] = linesOf(summary);
  const others = more.length > 0 ? lines : lines.filter(line => line !== call);
  return others.length === 0 ? lines : others;
}

function oneLine(lines: readonly string[]): string {
  return lines.reduce((joined, line) => {
    if (joined === '') return line;
    return /[:?!.,;]$/.test(joined) ? `${joined} ${line}` : `${joined} · ${line}`;
  }, '');
}

function linesOf(text: string): string[] {
  return visibleText(text)
    .split('\n')
    .map(singleLine)
    .filter(line => line !== '');
}
