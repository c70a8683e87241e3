import { mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';

/**
 * Lets other programs talk to the agent: what is written to `.pi/inbox/message.txt` is sent as if you had typed it.
 *
 *     echo "The build is red: fix it" > .pi/inbox/message.txt
 *
 * Only you may be able to write there: whoever can, can tell the agent what to do. The watcher is never closed here: it
 * belongs to this load of the hook, and goes with it.
 */
export default function inbox(pi: HookAPI) {
  pi.on('session', (event, ctx) => {
    if (event.reason !== 'start') return;
    const folder = join(ctx.cwd, '.pi', 'inbox');
    const file = join(folder, 'message.txt');
    mkdirSync(folder, { recursive: true });

    // The folder is watched, not the file: editors replace files, and a watcher of the old one would hear nothing.
    watch(folder, () => {
      const text = take(file);
      if (text !== '') pi.send(text);
    });
    ctx.ui.notify('Listening to .pi/inbox/message.txt', 'info');
  });
}

/** What stands in the file, which is empty afterwards. */
function take(file: string): string {
  try {
    const text = readFileSync(file, 'utf8').trim();
    if (text !== '') writeFileSync(file, '');
    return text;
  } catch {
    return ''; // No message yet, or half written: the next change tells again.
  }
}
