import type { HookAPI } from '@oh-my-pi/pi-coding-agent/hooks';

/** Commands that do not end by themselves. */
const ENDLESS = /\b(?:npm (?:start|run (?:dev|watch|serve))|tail -f|watch |vite(?!\w)|nodemon|http-server)\b/;

/**
 * A command that never ends holds the agent up until somebody stops it. This guard asks whether to run it all the same;
 * with nobody to ask it says how to run it in the background. Arguments cannot be changed in this dialect: it may only
 * say yes or no.
 */
export default function longCommandGuard(pi: HookAPI): void {
  pi.on('tool_call', async (event, ctx) => {
    if (event.toolName !== 'bash' || event.input.timeout !== undefined) return undefined;
    const command = String(event.input.command ?? '');
    if (!ENDLESS.test(command) || /&\s*$/.test(command)) return undefined;
    const reason = 'This command does not end by itself. Give a timeout, or run it in the background with "&".';
    if (!ctx.hasUI) return { block: true, reason };
    const run = await ctx.ui.confirm('This may never end. Run it?', command);
    return run ? undefined : { block: true, reason };
  });
}
