import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/**
 * Commits what the agent changed, with your prompt as the subject. It does so only if nothing was left to commit when
 * the agent began, so that your own work never gets into such a commit. The arguments go to git without a shell.
 */
export default function autoCommit(pi: ExtensionAPI) {
  let prompt: string | undefined;

  pi.on('before_agent_start', async (event, ctx) => {
    const { code, stdout } = await pi.exec('git', ['status', '--porcelain'], { cwd: ctx.cwd });
    prompt = code === 0 && stdout.trim() === '' ? event.prompt : undefined;
  });

  pi.on('agent_end', async (_event, ctx) => {
    if (prompt === undefined) return;
    const subject = `Agent: ${prompt.replace(/\s+/g, ' ').slice(0, 60)}`;
    prompt = undefined;
    const { stdout } = await pi.exec('git', ['status', '--porcelain'], { cwd: ctx.cwd });
    if (stdout.trim() === '') return;
    await pi.exec('git', ['add', '--all'], { cwd: ctx.cwd });
    const { code, stderr } = await pi.exec('git', ['commit', '--quiet', `--message=${subject}`], { cwd: ctx.cwd });
    if (code === 0) ctx.ui.notify(`Committed: ${subject}`, 'info');
    else ctx.ui.notify(`Git could not commit: ${stderr.trim()}`, 'error');
  });
}
