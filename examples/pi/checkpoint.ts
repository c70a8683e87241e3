import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/**
 * Remembers the tracked files before the agent works on a prompt, and offers to restore them when you fork from that
 * prompt. The checkpoint is a commit that no branch names; files that git does not track are left alone.
 */
export default function checkpoint(pi: ExtensionAPI) {
  const checkpoints = new Map<string, string>();

  // The first call of a tool is the first moment at which files can change.
  pi.on('tool_call', async (_event, ctx) => {
    const branch = [...ctx.sessionManager.getBranch()].reverse();
    const prompt = branch.find(entry => entry.type === 'message' && entry.message.role === 'user');
    if (prompt === undefined || checkpoints.has(prompt.id)) return;
    // Makes a commit of what has changed without touching a file, and prints nothing when nothing has changed.
    const { stdout, code } = await pi.exec('git', ['stash', 'create'], { cwd: ctx.cwd });
    if (code === 0) checkpoints.set(prompt.id, stdout.trim() || 'HEAD');
  });

  pi.on('session_before_fork', async (event, ctx) => {
    const commit = checkpoints.get(event.entryId);
    if (commit === undefined || !ctx.hasUI) return undefined;
    const restore = 'Restore the files';
    const answer = await ctx.ui.select('The files may have changed since then', [restore, 'Keep the files', 'Cancel']);
    if (answer === undefined || answer === 'Cancel') return { cancel: true };
    if (answer !== restore) return undefined;
    const { code, stderr } = await pi.exec('git', ['checkout', commit, '--', '.'], { cwd: ctx.cwd });
    if (code === 0) return undefined;
    ctx.ui.notify(`git could not restore the files: ${stderr.trim()}`, 'error');
    return { cancel: true };
  });
}
