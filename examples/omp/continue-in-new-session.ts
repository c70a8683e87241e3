import type { HookAPI } from '@oh-my-pi/pi-coding-agent/hooks';

/**
 * `/continue <what comes next>` starts a fresh session that knows the last answer of this one and nothing else: for when
 * a conversation has grown long, but its result is still needed.
 *
 * Only commands may start sessions. In an event handler it would wait for the run that is waiting for the handler.
 */
export default function continueInNewSession(pi: HookAPI): void {
  pi.registerCommand('continue', {
    description: 'Go on in a new session with the last answer',
    handler: async (args, ctx) => {
      await ctx.waitForIdle();
      const entries = ctx.sessionManager.getBranch();
      const answer = entries.flatMap(entry => {
        if (entry.type !== 'message' || entry.message.role !== 'assistant') return [];
        return entry.message.content.flatMap(part => (part.type === 'text' ? [part.text] : []));
      });
      const last = answer.at(-1);
      if (last === undefined) {
        ctx.ui.notify('There is no answer to take along yet', 'warning');
        return;
      }
      const parentSession = ctx.sessionManager.getSessionFile();
      const { cancelled } = await ctx.newSession({
        ...(parentSession === undefined ? {} : { parentSession }),
        setup: session => {
          session.appendMessage({
            role: 'user',
            content: [{ type: 'text', text: `This is where we stood:\n\n${last}` }],
            timestamp: Date.now(),
          });
        },
      });
      if (!cancelled && args.trim() !== '') ctx.ui.setEditorText(args.trim());
    },
  });
}
