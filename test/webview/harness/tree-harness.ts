import type { Page } from 'playwright-core';
import {
  readTreeToHost,
  type HostToTree,
  type TreeEntry,
  type TreeToHost,
} from '../../../src/protocol/pages/session-tree';
import { openPage, ORIGIN, type HarnessOptions } from './harness';

/** The page of a session's tree in a real browser, with its real CSP. */
export class TreeHarness {
  private constructor(
    readonly page: Page,
    /** Texts of uncaught errors and console errors. */
    readonly errors: string[],
    /** Addresses beyond the page's own files; all were refused. */
    readonly requests: string[],
  ) {}

  /** Opens the page, answers its `ready`, and waits until what is said there is drawn. */
  static async open(said: readonly HostToTree[], options: HarnessOptions = {}): Promise<TreeHarness> {
    const { page, errors, requests } = await openPage('tree', { width: 900, height: 520, ...options });
    const tree = new TreeHarness(page, errors, requests);
    await page.goto(`${ORIGIN}/`);
    await page.waitForFunction('inside.sent.length > 0');
    // The editor area, not the side bar, is behind it.
    await page.evaluate("document.body.style.background = 'var(--vscode-editor-background)'");
    await tree.post(...said);
    await page.waitForSelector('[data-hookline="tree"][data-ready="true"]');
    return tree;
  }

  async post(...messages: readonly HostToTree[]): Promise<void> {
    await this.page.evaluate(list => {
      for (const message of list) window.postMessage(message, '*');
    }, messages);
  }

  /** What the page said, oldest first, checked against the protocol. */
  async sent(): Promise<readonly TreeToHost[]> {
    const raw = await this.page.evaluate<readonly unknown[]>('inside.sent');
    return raw.map(message => {
      const read = readTreeToHost(message);
      if (read === undefined) throw new Error(`the page sent what is not in the protocol: ${JSON.stringify(message)}`);
      return read;
    });
  }

  violations(): Promise<readonly string[]> {
    return this.page.evaluate<readonly string[]>('inside.violations');
  }

  async close(): Promise<void> {
    await this.page.close();
  }
}

const at = (minute: number): string => `2026-11-20T09:${String(minute).padStart(2, '0')}:00.000Z`;

function entry(
  id: string,
  parent: string | null,
  kind: TreeEntry['kind'],
  [minute, text]: readonly [number, string],
  label?: string,
): TreeEntry {
  return { id, parent, kind, text, time: at(minute), ...(label === undefined ? {} : { label }) };
}

/** One of everything that a tree can hold: branches of branches, labels, folded steps, each kind of entry. */
export const TREE: readonly HostToTree[] = [
  {
    type: 'entries',
    replace: true,
    done: true,
    entries: [
      entry('u1', null, 'user', [1, 'Why does the parser lose the last line of a file without a newline?'], 'the bug'),
      entry('s1', 'u1', 'assistant', [2, 'read src/parser.ts']),
      entry('s2', 's1', 'tool', [2, 'read: export function parse(text: string)']),
      entry('s3', 's2', 'assistant', [3, 'bash npm test']),
      entry('s4', 's3', 'tool', [3, 'bash: 3 failing']),
      entry('a1', 's4', 'assistant', [4, 'It splits at every newline and drops what follows the last one.']),
      entry('x1', 'a1', 'user', [5, 'Rewrite it as a generator']),
      entry(
        'x2',
        'x1',
        'assistant',
        [6, 'Done, but two callers need an array.'],
        'a dead end that is told at some length here',
      ),
      entry('y1', 'x2', 'user', [7, 'Then change the callers']),
      entry('y2', 'y1', 'assistant', [8, 'Both take an iterable now.']),
      entry('x3', 'x2', 'command', [9, 'git diff --stat']),
      entry('b1', 'a1', 'summary', [10, 'Tried a generator; two callers would have to change.']),
      entry('u2', 'b1', 'user', [11, 'Keep the array and handle the rest after the loop']),
      entry('h1', 'u2', 'hook', [11, 'permission-gate: two edits were allowed']),
      entry('a2', 'h1', 'assistant', [12, 'The last line is kept; all 41 tests pass.']),
    ],
  },
  { type: 'leaf', id: 'a2', title: 'The parser and its last line' },
];
