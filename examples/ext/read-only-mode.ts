import type { ExtensionAPI, ExtensionContext } from '@mariozechner/pi-coding-agent';

const READING = ['read', 'grep', 'find', 'ls'];

/**
 * `/readonly` lets the agent look but not touch, and back again; `ctrl+alt+r` does the same.
 *
 * Three locks, each for what the one before lets through: the other tools are not offered to the model, the system
 * prompt says why, and a call of one is blocked all the same (hooks and forks may offer tools that we do not know).
 */
export default function readOnlyMode(pi: ExtensionAPI) {
  let before: string[] | undefined;

  const toggle = (ctx: ExtensionContext) => {
    if (before === undefined) {
      before = pi.getActiveTools();
      pi.setActiveTools(READING);
    } else {
      pi.setActiveTools(before);
      before = undefined;
    }
    ctx.ui.setStatus('read-only', before === undefined ? undefined : 'read-only');
  };

  pi.registerCommand('readonly', {
    description: 'Let the agent look, but not touch',
    handler: async (_args, ctx) => {
      toggle(ctx);
    },
  });
  pi.registerShortcut('ctrl+alt+r', { description: 'Look, but do not touch', handler: toggle });

  pi.on('before_agent_start', event => {
    if (before === undefined) return undefined;
    return { systemPrompt: `${event.systemPrompt}\n\nYou can only read. Say what you would change, do not try to.` };
  });

  pi.on('tool_call', event => {
    if (before === undefined || READING.includes(event.toolName)) return undefined;
    return { block: true, reason: `"${event.toolName}" is off: the user switched to read-only.` };
  });
}
