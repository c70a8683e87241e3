import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/** Commands that run without a question, word for word. */
const HARMLESS = new Set(['pwd', 'ls', 'git status', 'git diff', 'npm test']);
const SHELLS = ['bash', 'powershell'];

/**
 * Asks before a shell command runs, unless it is on a short list. A list of what is allowed is safer than a list of
 * what is dangerous: a shell has many ways to write the same command. Without a person to ask, the command is blocked.
 */
export default function permissionGate(pi: ExtensionAPI) {
  pi.on('tool_call', async (event, ctx) => {
    if (!SHELLS.includes(event.toolName)) return undefined;
    const command = String(event.input.command).trim();
    if (HARMLESS.has(command)) return undefined;
    if (!ctx.hasUI) return { block: true, reason: `Nobody can approve "${command}".` };
    // A canceled question gives false, too.
    if (await ctx.ui.confirm('Run this command?', command)) return undefined;
    return { block: true, reason: 'The user denied this command. Ask before you try another way.' };
  });
}
