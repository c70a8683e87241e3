/** A place of a file that a patch changes. */
export interface PatchChunk {
  /** The line after `@@`, which says where in the file to look; absent without one, empty after a bare `@@`. */
  readonly context?: string;
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  readonly isEndOfFile: boolean;
}

/** What a patch of Codex does to one file. Paths are as the patch has them. */
export type FilePatch =
  | { readonly type: 'add'; readonly path: string; readonly content: string }
  | { readonly type: 'delete'; readonly path: string }
  | {
      readonly type: 'update';
      readonly path: string;
      readonly moveTo?: string;
      readonly chunks: readonly PatchChunk[];
    };

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const ADD = '*** Add File: ';
const DELETE = '*** Delete File: ';
const UPDATE = '*** Update File: ';
const MOVE = '*** Move to: ';
const END_OF_FILE = '*** End of File';
const HERE_DOCUMENT = ['<<EOF', "<<'EOF'", '<<"EOF"'];

/**
 * Reads a patch as Codex does, with the liberties that Codex takes with blanks around markers and a here-document around the
 * whole. Undefined for anything else: then nothing is known of the files that it changes.
 */
export function parsePatch(text: string): readonly FilePatch[] | undefined {
  const lines = text.trim().split(/\r?\n/);
  const inner = HERE_DOCUMENT.includes(lines[0] ?? '') && lines.at(-1)?.endsWith('EOF') ? lines.slice(1, -1) : lines;
  if (inner.length < 2 || inner[0]?.trim() !== BEGIN || inner.at(-1)?.trim() !== END) return undefined;
  const reader = new LineReader(inner.slice(1, -1));
  const files: FilePatch[] = [];
  while (!reader.isAtEnd) {
    const file = readFile(reader);
    if (file === undefined) return undefined;
    files.push(file);
  }
  return files.length === 0 ? undefined : files;
}

/** The text of a patch; Codex reads the same from it. */
export function patchText(files: readonly FilePatch[]): string {
  return [BEGIN, ...files.flatMap(fileLines), END, ''].join('\n');
}

class LineReader {
  private at = 0;

  constructor(private readonly lines: readonly string[]) {}

  get isAtEnd(): boolean {
    return this.at >= this.lines.length;
  }

  get line(): string | undefined {
    return this.lines[this.at];
  }

  next(): string | undefined {
    return this.lines[this.at++];
  }
}

function readFile(reader: LineReader): FilePatch | undefined {
  const header = reader.next()?.trim() ?? '';
  if (header.startsWith(ADD)) {
    let content = '';
    while (reader.line?.startsWith('+')) content += `${reader.next()?.slice(1) ?? ''}\n`;
    return { type: 'add', path: header.slice(ADD.length), content };
  }
  if (header.startsWith(DELETE)) return { type: 'delete', path: header.slice(DELETE.length) };
  if (!header.startsWith(UPDATE)) return undefined;
  const moveTo = reader.line?.startsWith(MOVE) ? reader.next()?.slice(MOVE.length) : undefined;
  const chunks = readChunks(reader);
  if (chunks === undefined || chunks.length === 0) return undefined;
  return { type: 'update', path: header.slice(UPDATE.length), ...(moveTo === undefined ? {} : { moveTo }), chunks };
}

function readChunks(reader: LineReader): readonly PatchChunk[] | undefined {
  const chunks: PatchChunk[] = [];
  while (reader.line !== undefined && !reader.line.startsWith('*')) {
    if (reader.line.trim() === '') {
      reader.next();
      continue;
    }
    const chunk = readChunk(reader, chunks.length === 0);
    if (chunk === undefined) return undefined;
    chunks.push(chunk);
  }
  return chunks;
}

function readChunk(reader: LineReader, isFirst: boolean): PatchChunk | undefined {
  const marker = reader.line ?? '';
  const hasMarker = marker === '@@' || marker.startsWith('@@ ');
  if (!hasMarker && !isFirst) return undefined;
  if (hasMarker) reader.next();
  const oldLines: string[] = [];
  const newLines: string[] = [];
  let isEndOfFile = false;
  let count = 0;
  for (; !isEndOfFile && reader.line !== undefined; count++) {
    const line = reader.line;
    const sign = line.charAt(0);
    if (line === END_OF_FILE) isEndOfFile = true;
    else if (sign === '' || sign === ' ') {
      oldLines.push(line.slice(1));
      newLines.push(line.slice(1));
    } else if (sign === '-') oldLines.push(line.slice(1));
    else if (sign === '+') newLines.push(line.slice(1));
    else break;
    reader.next();
  }
  if (count === 0 || (count === 1 && isEndOfFile)) return undefined;
  return { ...(hasMarker ? { context: marker.slice(3) } : {}), oldLines, newLines, isEndOfFile };
}

function fileLines(file: FilePatch): readonly string[] {
  switch (file.type) {
    case 'add':
      return [
        ADD + file.path,
        ...file.content
          .split('\n')
          .slice(0, -1)
          .map(line => `+${line}`),
      ];
    case 'delete':
      return [DELETE + file.path];
    case 'update': {
      const move = file.moveTo === undefined ? [] : [MOVE + file.moveTo];
      return [UPDATE + file.path, ...move, ...file.chunks.flatMap(chunkLines)];
    }
  }
}

function chunkLines({ context, oldLines, newLines, isEndOfFile }: PatchChunk): readonly string[] {
  return [
    context === undefined || context === '' ? '@@' : `@@ ${context}`,
    ...oldLines.map(line => `-${line}`),
    ...newLines.map(line => `+${line}`),
    ...(isEndOfFile ? [END_OF_FILE] : []),
  ];
}
