import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/**
 * `/handoff <goal>` starts a new session with a short report of this one, so that a new task does not carry the whole
 * conversation with it. The old session stays as it is.
 */
export default function handoff(pi: ExtensionAPI) {
  pi.registerCommand('handoff', {
    description: 'Continues with a new goal in a new session',
    handler: async (goal, ctx) => {
      if (goal.trim() === '') {
        ctx.ui.notify('Say what the next goal is: /handoff <goal>', 'warning');
        return;
      }
      const files = new Set<string>();
      let lastAnswer = '';
      for (const entry of ctx.sessionManager.getBranch()) {
        if (entry.type !== 'message' || entry.message.role !== 'assistant') continue;
        for (const part of entry.message.content) {
          if (part.type === 'text') lastAnswer = part.text;
          if (part.type === 'toolCall' && ['edit', 'write'].includes(part.name)) files.add(String(part.arguments.path));
        }
      }
      const report = [`Changed files: ${[...files].join(', ') || 'none'}.`, `Last answer: ${lastAnswer || 'none'}`];
      await ctx.newSession({
        parentSession: ctx.sessionManager.getSessionFile(),
        // `pi` and `ctx` of this session cannot be used in the new one; what comes as an argument can.
        withSession: async next => next.sendUserMessage(`${report.join('\n')}\n\nGoal: ${goal.trim()}`),
      });
    },
  });
}
