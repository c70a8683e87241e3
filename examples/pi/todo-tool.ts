import { Type } from 'typebox';
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent';

const NAME = 'todo';

/**
 * A tool with which the model keeps a list of steps, and the number of open steps in the status line. The list is in
 * the details of the newest result on the current branch, so it follows forks and restarts.
 */
export default function todoTool(pi: ExtensionAPI) {
  const step = Type.Object({ text: Type.String(), done: Type.Boolean() });
  pi.registerTool({
    name: NAME,
    label: 'Todo',
    description: 'Stores the list of steps of the current task. Give the whole list each time.',
    parameters: Type.Object({ steps: Type.Array(step) }),
    execute: async (_id, { steps }, _signal, _onUpdate, ctx) => {
      const open = steps.filter(({ done }) => !done).length;
      show(ctx, open);
      return { content: [{ type: 'text', text: `${open} of ${steps.length} steps are open.` }], details: { open } };
    },
  });
  const restore = (_event: unknown, ctx: ExtensionContext) => show(ctx, openIn(ctx));
  pi.on('session_start', restore);
  pi.on('session_tree', restore);
}

function show(ctx: ExtensionContext, open: number): void {
  ctx.ui.setStatus(NAME, open === 0 ? undefined : `${open} open steps`);
}

function openIn(ctx: ExtensionContext): number {
  for (const entry of [...ctx.sessionManager.getBranch()].reverse()) {
    if (entry.type !== 'message' || entry.message.role !== 'toolResult') continue;
    const { toolName, isError, details } = entry.message;
    if (toolName === NAME && !isError) return (details as { open: number }).open;
  }
  return 0;
}
