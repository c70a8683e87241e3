// Only "event.preparation" tells this file from one of v1, which is little to go by: so it says what it is.
// @pi-dialect tree
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { convertToLlm, serializeConversation } from '@mariozechner/pi-coding-agent';
import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';

/**
 * Writes what a compaction is about to summarise to `.pi/archive/`, word for word, and then lets the compaction go on as
 * usual. If the archive cannot be written, you are asked whether to compact all the same.
 */
export default function archive(pi: HookAPI) {
  pi.on('session', async (event, ctx) => {
    if (event.reason !== 'before_compact') return undefined;
    const { messagesToSummarize, turnPrefixMessages } = event.preparation;
    const text = serializeConversation(convertToLlm([...messagesToSummarize, ...turnPrefixMessages]));
    const folder = join(ctx.cwd, '.pi', 'archive');
    const file = join(folder, `${new Date().toISOString().replace(/[:.]/g, '-')}.txt`);
    try {
      await mkdir(folder, { recursive: true });
      await writeFile(file, text);
      ctx.ui.notify(`Archived ${messagesToSummarize.length} messages`, 'info');
      return undefined;
    } catch (error) {
      const anyway = await ctx.ui.confirm('Compact without an archive?', String(error));
      return anyway ? undefined : { cancel: true };
    }
  });
}
