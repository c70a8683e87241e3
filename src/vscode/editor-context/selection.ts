import * as vscode from 'vscode';
import { truncateHead, DEFAULT_MAX_LINES } from '../../agent/tools/truncate';
import type { SelectedLines } from '../../protocol/composer/editor-chip';
import type { EditorText } from '../../session/attachments/editor-texts';
import { agentPath } from './agent-path';

/** A selected text and its place. Lines are 1-based, and `last` is included. */
export interface SelectedText extends SelectedLines {
  readonly uri: vscode.Uri;
  readonly language: string;
  readonly text: string;
}

/** The first selection in the active editor; undefined when nothing is selected. */
export function selectedText(editor = vscode.window.activeTextEditor): SelectedText | undefined {
  const { document, selection } = editor ?? {};
  if (document === undefined || selection === undefined || selection.isEmpty) return undefined;
  const { uri, languageId: language } = document;
  return { uri, language, text: document.getText(selection), ...linesOf(selection) };
}

/** The place of a selection, such as `src/a.ts:3-8`, as seen from the folder that the agent works in. */
export function placeOf(selected: SelectedText, folder: string | undefined): string {
  return placeOfLines(selected.uri, [selected], folder);
}

/** The lines of a selection, such as `3-8`, or `3` for one line. */
export function lineSpan({ first, last }: SelectedLines): string {
  return first === last ? `${first}` : `${first}-${last}`;
}

/** A place that can be opened ends with `:` and its lines; a text without a file has them after its name. */
function placeOfLines(uri: vscode.Uri, lines: readonly SelectedLines[], folder: string | undefined): string {
  const spans = lines.map(lineSpan).join(', ');
  const path = agentPath(uri, folder);
  return uri.scheme === 'file' ? `${path}:${spans}` : `${path}, ${lines.length > 1 ? 'lines' : 'line'} ${spans}`;
}

/** A selection that ends at the start of a line does not include that line. */
function linesOf({ start, end }: vscode.Range): SelectedLines {
  const last = end.character === 0 ? Math.max(start.line, end.line - 1) : end.line;
  return { first: start.line + 1, last: last + 1 };
}

/** Most selections of one editor that are sent. */
const MOST_SELECTIONS = 20;

/** Everything that is selected in an editor. */
export class Selections {
  private constructor(
    private readonly document: vscode.TextDocument,
    private readonly ranges: readonly [vscode.Range, ...vscode.Range[]],
    private readonly omitted: number,
  ) {}

  /** The selections in the order of the text; undefined when nothing is selected. */
  static in({ document, selections }: vscode.TextEditor): Selections | undefined {
    const filled = selections.filter(({ isEmpty }) => !isEmpty).sort((a, b) => a.start.compareTo(b.start));
    const [first, ...others] = filled.slice(0, MOST_SELECTIONS);
    if (first === undefined) return undefined;
    return new Selections(document, [first, ...others], Math.max(0, filled.length - MOST_SELECTIONS));
  }

  get lines(): readonly SelectedLines[] {
    return this.ranges.map(linesOf);
  }

  /** See `EditorChip`. Reads few more lines of a long selection than are sent. */
  get firstLines(): number | undefined {
    const { truncated, outputLines } = truncateHead(this.text(DEFAULT_MAX_LINES + 1));
    if (!truncated && this.omitted === 0) return undefined;
    return this.ranges.length === 1 ? outputLines : 0;
  }

  /** What is sent. `folder`: absolute path of the folder that the agent works in. */
  toText(folder: string | undefined): EditorText {
    const { uri } = this.document;
    const name = `selection of ${placeOfLines(uri, this.lines, folder)}`;
    if (uri.scheme !== 'file') return { name, text: this.text() };
    const [range] = this.ranges;
    const { first } = linesOf(range);
    const { last } = linesOf(this.ranges.at(-1) ?? range);
    const hasWholeLines = this.ranges.length === 1 && this.isWhole(range);
    return { name, text: this.text(), path: uri.fsPath, lines: [first, last], hasWholeLines };
  }

  /** The selected texts, of each no more than so many lines. Where there are several, each begins with its lines. */
  private text(mostLines = Infinity): string {
    const texts = this.ranges.map(range => {
      const last = range.start.line + mostLines;
      return this.document.getText(last < range.end.line ? range.with({ end: new vscode.Position(last, 0) }) : range);
    });
    if (texts.length === 1 && this.omitted === 0) return texts.join('');
    const spans = this.lines.map(lineSpan);
    const parts = texts.map((text, at) => `[lines ${spans[at] ?? ''}]\n${text}`);
    return [...parts, ...(this.omitted > 0 ? [`[${this.omitted} more selections]`] : [])].join('\n');
  }

  private isWhole({ start, end }: vscode.Range): boolean {
    if (start.character > 0) return false;
    return (end.character === 0 && end.line > start.line) || end.isEqual(this.document.lineAt(end.line).range.end);
  }
}
