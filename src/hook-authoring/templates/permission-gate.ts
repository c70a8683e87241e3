import { importOf, NEWEST_FIRST } from './dialect-shape';
import { CURSOR, type HookTemplate } from './template';

export const permissionGate: HookTemplate = {
  label: 'Ask before commands',
  detail: 'A permission gate: asks before shell commands that you list; no answer means no',
  fileName: 'ask-before',
  dialects: NEWEST_FIRST,
  body: (shape, { camel }) => `
${importOf(shape)}

/** Commands to ask about, and what each does: "This command deletes folders. Run it?" */
const RISKS = [
  { pattern: /\\brm\\b.*\\s-\\w*r/, does: 'deletes folders' },
  { pattern: /\\bgit\\s+push\\b/, does: 'publishes commits' },${CURSOR}
];

/** Asks before a command of the list runs. If nobody can be asked, it does not run. */
export default function ${camel}(pi: ${shape.api}) {
  pi.on('tool_call', async (event, ctx) => {
    if (event.toolName !== 'bash') return undefined;
    const command = String(event.input.command ?? '');
    const risk = RISKS.find(({ pattern }) => pattern.test(command));
    if (risk === undefined) return undefined;
    if (!ctx.hasUI) return { block: true, reason: \`This command \${risk.does}, and nobody can be asked.\` };
    const allowed = await ctx.ui.confirm(\`This command \${risk.does}. Run it?\`, command);
    return allowed ? undefined : { block: true, reason: \`The user said no: this command \${risk.does}.\` };
  });
}`,
};
