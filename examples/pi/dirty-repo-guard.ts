import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent';

/**
 * Asks before you leave a session while git has changes that are not committed. If git cannot tell, or nobody can
 * answer, you stay in the session.
 */
export default function dirtyRepoGuard(pi: ExtensionAPI) {
  const guard = async (_event: unknown, ctx: ExtensionContext) => {
    const { code, stdout } = await pi.exec('git', ['status', '--porcelain'], { cwd: ctx.cwd });
    if (code === 0 && stdout.trim() === '') return undefined;
    const files = stdout.split('\n').filter(line => line !== '').length;
    const problem = code === 0 ? `Files not committed: ${files}` : 'Git cannot tell what is not committed';
    const leave = ctx.hasUI && (await ctx.ui.confirm('Leave this session?', problem));
    return leave ? undefined : { cancel: true };
  };
  pi.on('session_before_switch', guard);
  pi.on('session_before_fork', guard);
}
