import * as vscode from 'vscode';
import { DEFAULT_MAX_LINES, truncateHead } from '../../agent/tools/truncate';

type Document = Pick<vscode.TextDocument, 'version' | 'getText'>;

interface Counted {
  readonly version: number;
  readonly firstLines: number | undefined;
}

/** How many lines of whole documents are sent: see `EditorChip`. A document is read again only when its text has changed. */
export class FirstLines {
  // Not by URI: a file that is opened again has the same versions once more.
  private readonly counted = new WeakMap<Document, Counted>();

  /** Undefined when the document is sent whole. Reads few more lines of a long one than are sent. */
  of(document: Document): number | undefined {
    const { version } = document;
    const known = this.counted.get(document);
    if (known?.version === version) return known.firstLines;
    const { truncated, outputLines } = truncateHead(document.getText(new vscode.Range(0, 0, DEFAULT_MAX_LINES + 1, 0)));
    const firstLines = truncated ? outputLines : undefined;
    this.counted.set(document, { version, firstLines });
    return firstLines;
  }
}
