import type { ContentPart } from '../../agent/messages';
import { withNotices } from '../../agent/tools/result';
import { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize, truncateHead } from '../../agent/tools/truncate';

/**
 * Cuts the texts so that together they are not longer than the output of Hookline's own tools, and adds a notice of what
 * was cut. Of a first line that is too long, as JSON often is, the beginning is kept. Other parts are not changed.
 */
export function cutTexts(parts: readonly ContentPart[]): ContentPart[] {
  let maxLines = DEFAULT_MAX_LINES;
  let maxBytes = DEFAULT_MAX_BYTES;
  return parts.map(part => {
    if (part.type !== 'text') return part;
    const { content, truncated, totalBytes, outputLines, firstLineExceedsLimit } = truncateHead(part.text, {
      maxLines,
      maxBytes,
    });
    const kept = firstLineExceedsLimit && maxLines > 0 ? beginning(part.text, maxBytes) : content;
    const bytes = Buffer.byteLength(kept);
    maxLines -= firstLineExceedsLimit ? 1 : outputLines;
    maxBytes -= bytes;
    if (!truncated) return part;
    // After a cut, no more text is kept, because it would look like a continuation.
    maxLines = 0;
    return { ...part, text: withNotices(kept, [`Truncated: ${formatSize(bytes)} of ${formatSize(totalBytes)} shown`]) };
  });
}

/** The beginning of a text, in whole characters that fit into `maxBytes` bytes. */
function beginning(text: string, maxBytes: number): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(text).subarray(0, maxBytes), {
    stream: true,
  });
}
