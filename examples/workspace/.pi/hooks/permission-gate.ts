import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/** Shell commands that deserve a second look. The text completes the sentence "This command ...". */
const RISKS: readonly { readonly pattern: RegExp; readonly does: string }[] = [
  { pattern: /\brm\s+(?:\S+\s+)*(?:-[a-z]*r|--recursive)/i, does: 'deletes folders and everything in them' },
  { pattern: /\b(?:sudo|doas)\b/, does: 'runs with the rights of the administrator' },
  { pattern: /\bgit\s+(?:reset\s+--hard|clean\s+-\w*f|push\b.*(?:--force|\s-f\b))/, does: 'throws away work in git' },
  { pattern: /\b(?:mkfs\S*|dd\b.*\bof=\/dev\/)/, does: 'overwrites a disk' },
  { pattern: /\bchmod\s+(?:\S+\s+)*0?777\b/, does: 'lets everybody change these files' },
];

/** Asks before a risky shell command runs. Without an answer, or with nobody to ask, it does not run. */
export default function permissionGate(pi: ExtensionAPI) {
  pi.on('tool_call', async (event, ctx) => {
    if (event.toolName !== 'bash') return undefined;
    const command = String(event.input.command ?? '');
    const risk = RISKS.find(({ pattern }) => pattern.test(command));
    if (risk === undefined) return undefined;
    if (!ctx.hasUI) return { block: true, reason: `Blocked: this command ${risk.does}, and nobody can be asked.` };

    const answer = await ctx.ui.select(`This command ${risk.does}:\n\n  ${command}\n\nRun it?`, ['Yes', 'No']);
    return answer === 'Yes' ? undefined : { block: true, reason: 'Blocked by user' };
  });
}
