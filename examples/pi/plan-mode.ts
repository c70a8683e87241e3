import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/** A list of what may be used is safer than a list of what may not: tools that come later are not on it. */
const READING = ['read', 'grep', 'find', 'ls'];

/** `/plan` lets the agent only read until you switch it off. The gate holds even if another hook turns tools on again. */
export default function planMode(pi: ExtensionAPI) {
  let before: string[] | undefined;

  pi.registerCommand('plan', {
    description: 'Switches between planning and working',
    handler: async (_args, ctx) => {
      if (before === undefined) {
        before = pi.getActiveTools();
        pi.setActiveTools(before.filter(name => READING.includes(name)));
      } else {
        pi.setActiveTools(before);
        before = undefined;
      }
      ctx.ui.setStatus('plan', before === undefined ? undefined : 'planning');
    },
  });

  pi.on('before_agent_start', event => {
    if (before === undefined) return undefined;
    return { systemPrompt: `${event.systemPrompt}\n\nOnly read. Answer with a plan in numbered steps.` };
  });

  pi.on('tool_call', event => {
    if (before === undefined || READING.includes(event.toolName)) return undefined;
    return { block: true, reason: `"${event.toolName}" is not available while you plan.` };
  });
}
