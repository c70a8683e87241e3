import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';

interface Checkpoint {
  /** When the agent began to work, ms since 1970. */
  readonly time: number;
  /** A commit with the tracked files as they were then. */
  readonly commit: string;
}

/**
 * Remembers the tracked files each time the agent begins to work on a prompt, and offers to bring them back when you
 * branch from that prompt. Files that git does not know are left alone.
 *
 * A checkpoint is found by time: `turnIndex` counts the turns of one run and says nothing about entries.
 */
export default function gitCheckpoint(pi: HookAPI) {
  const checkpoints: Checkpoint[] = [];

  pi.on('turn_start', async (event, ctx) => {
    if (event.turnIndex !== 0) return;
    // Makes a commit of the changes without touching anything; prints nothing when there are none.
    const { stdout } = await ctx.exec('git', ['stash', 'create']);
    checkpoints.push({ time: event.timestamp, commit: stdout.trim() || 'HEAD' });
  });

  pi.on('session', async (event, ctx) => {
    if (event.reason !== 'before_branch') return undefined;
    const entry = event.entries[event.targetTurnIndex];
    const sent = entry?.type === 'message' ? entry.message.timestamp : Number.POSITIVE_INFINITY;
    const checkpoint = checkpoints.find(({ time }) => time >= sent);
    if (checkpoint === undefined) return undefined;

    const keep = 'Keep the files as they are';
    const answer = await ctx.ui.select('The files changed since then', ['Bring the files back, too', keep]);
    if (answer === null || answer === undefined) return { cancel: true };
    if (answer === keep) return undefined;

    const { code, stderr } = await ctx.exec('git', ['checkout', checkpoint.commit, '--', '.']);
    if (code === 0) ctx.ui.notify('The files are as they were', 'info');
    else ctx.ui.notify(`git could not bring the files back: ${stderr.trim()}`, 'error');
    return undefined;
  });
}
