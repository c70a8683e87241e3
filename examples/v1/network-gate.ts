import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';

/** Programs that talk to the outside, as the first word of a command or behind `|`, `&` and `;`. */
const NETWORK =
  /(?:^|[|&;]\s*)(?:curl|wget|ssh|scp|rsync|git\s+(?:push|fetch|pull|clone)|npm\s+(?:publish|install|i))\b/;

const ONCE = 'Allow this once';
const SESSION = 'Allow until the session ends';
const NO = 'Do not allow';

/**
 * Asks before a shell command uses the network. "Until the session ends" is remembered for that one program; a new
 * session asks again. Without an answer, or with nobody to ask, the command does not run.
 */
export default function networkGate(pi: HookAPI) {
  const allowed = new Set<string>();

  pi.on('session', event => {
    if (event.reason === 'switch' || event.reason === 'clear') allowed.clear();
  });

  pi.on('tool_call', async (event, ctx) => {
    if (event.toolName !== 'bash') return undefined;
    const command = String(event.input.command ?? '');
    const found = NETWORK.exec(command)?.[0];
    if (found === undefined) return undefined;

    const program = found.replace(/^[|&;\s]+/, '');
    if (allowed.has(program)) return undefined;
    if (!ctx.hasUI) return { block: true, reason: `"${program}" uses the network, and nobody can be asked.` };

    // A canceled dialog gives null: anything but the two "Allow" answers blocks.
    const answer = await ctx.ui.select(`"${program}" uses the network:\n\n  ${command}`, [ONCE, SESSION, NO]);
    if (answer === SESSION) allowed.add(program);
    if (answer === ONCE || answer === SESSION) return undefined;
    return { block: true, reason: `The user does not want "${program}" to use the network. Work without it.` };
  });
}
