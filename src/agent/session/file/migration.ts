import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { isCode } from '../../../base/errors';
import { rangeOf, type EntryNode, type LineRange } from '../tree';
import type { SessionHeader } from '../entry';
import { encodeLine } from './codec';
import type { EntryReader } from './entry-reader';

/** A session file of an older version, as it is read. */
export interface OldFile {
  readonly header: SessionHeader;
  readonly nodes: readonly EntryNode[];
  /** Lines that are not entries. */
  readonly unusable: readonly LineRange[];
  readonly reader: Pick<EntryReader, 'read' | 'lineAt'>;
}

/** The same file in the current version. */
export interface MigratedFile {
  /** Each with its newline. */
  readonly lines: readonly string[];
  /** Where the nodes of the file are then. */
  readonly ranges: readonly (readonly [EntryNode, LineRange])[];
}

/** A file in the current version of the format; lines that cannot be read stay as they are. */
export function migrated({ header, nodes, unusable, reader }: OldFile): MigratedFile {
  const texts = new Map<number, string>();
  for (const range of unusable) texts.set(range.line, `${reader.lineAt(range)}\n`);
  for (const node of nodes) {
    const range = rangeOf(node);
    if (range === undefined) continue;
    const entry = reader.read(node);
    texts.set(range.line, entry ? encodeLine(entry) : `${reader.lineAt(range)}\n`);
  }
  const old = [...texts].sort(([a], [b]) => a - b);
  const head = encodeLine(header);
  const ranges = new Map<number, LineRange>();
  let offset = Buffer.byteLength(head);
  for (const [index, [line, text]] of old.entries()) {
    const length = Buffer.byteLength(text);
    ranges.set(line, { offset, length: length - 1, line: index + 2 });
    offset += length;
  }
  return {
    lines: [head, ...old.map(([, text]) => text)],
    ranges: nodes.flatMap(node => {
      const range = rangeOf(node) && ranges.get(node.line ?? 0);
      return range === undefined ? [] : [[node, range] as const];
    }),
  };
}

/** The first line with bytes that are no text, which {@link migrated} would replace; undefined when there is none. */
export function firstLineWithoutText(
  nodes: readonly EntryNode[],
  unusable: readonly LineRange[],
  reader: Pick<EntryReader, 'isTextAt'>,
): number | undefined {
  const lines = [...nodes.flatMap(node => rangeOf(node) ?? []), ...unusable];
  const broken = lines.filter(range => !reader.isTextAt(range)).map(({ line }) => line);
  return broken.length === 0 ? undefined : Math.min(...broken);
}

/** Copies to `<file>.bak`, or the next free `.bak.N`: a backup never replaces another. */
export async function backUp(path: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await copyFile(path, attempt === 0 ? `${path}.bak` : `${path}.bak.${attempt}`, constants.COPYFILE_EXCL);
      return;
    } catch (error) {
      if (!isCode(error, 'EEXIST') || attempt > 99) throw error;
    }
  }
}
