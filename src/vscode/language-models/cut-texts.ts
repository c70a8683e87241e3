import type { ContentPart } from '../../agent/messages';
import { withNotices } from '../../agent/tools/result';
import { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize, truncateHead } from '../../agent/tools/truncate';

/**
 * The parts with no more text, taken together, than a tool of ours gives the model; what was cut is
 * told. Of a single line that is too long (JSON often is one) the beginning stays. Other parts stay as they are.
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
    // What comes behind a cut would look like its continuation.
    maxLines = 0;
    return { ...part, text: withNotices(kept, [`Truncated: ${formatSize(bytes)} of ${formatSize(totalBytes)} shown`]) };
  });
}

/** Whole characters that fit. */
function beginning(text: string, maxBytes: number): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(text).subarray(0, maxBytes), {
    stream: true,
  });
}
