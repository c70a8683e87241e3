import { openRegular } from '../../base/files/regular-file';
import { LineWindow } from '../../agent/tools/files/line-window';
import { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize, truncateHead } from '../../agent/tools/truncate';

const CHUNK_BYTES = 256 * 1024;

/**
 * Lines of a file, 1-based and both included, without the last line's end; of more than the read tool shows (2,000 lines,
 * 50 KB) the first ones, and that they are. Empty when there are no such lines. Reads up to the last of them in slices, so
 * that a file of any size neither fills the memory nor holds up the thread. Rejects when the file cannot be read.
 */
export async function linesOfFile(path: string, first: number, last: number): Promise<string> {
  const from = Math.max(0, first - 1);
  const window = new LineWindow(from, last - from);
  const file = await openRegular(path);
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let position = 0; !isEnough(window, last);) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) break;
      window.push(buffer.subarray(0, bytesRead));
      position += bytesRead;
    }
  } finally {
    await file.close();
  }
  return shown(window, from);
}

/** Everything wanted is read, or more than is shown. */
function isEnough(window: LineWindow, last: number): boolean {
  const isPast = window.totalLines > last;
  return isPast || window.selectedLines > DEFAULT_MAX_LINES || window.selectedBytes > DEFAULT_MAX_BYTES + 2;
}

function shown(window: LineWindow, from: number): string {
  const kept = window.text().replaceAll('\r\n', '\n');
  const total = { lines: window.selectedLines, bytes: window.selectedBytes };
  const { content, truncated, outputLines, firstLineExceedsLimit } = truncateHead(
    kept,
    total.bytes > DEFAULT_MAX_BYTES ? { total } : {},
  );
  if (firstLineExceedsLimit) {
    const start = Buffer.from(kept)
      .toString('utf8', 0, DEFAULT_MAX_BYTES)
      .replace(/\uFFFD$/, '');
    return `${start}\n[Cut: line ${from + 1} is longer than ${formatSize(DEFAULT_MAX_BYTES)}]`;
  }
  const text = content.replace(/\n$/, '');
  return truncated ? `${text}\n[Cut after line ${from + outputLines}: more than is attached at once]` : text;
}
