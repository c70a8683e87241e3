import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/** `/summarize` asks the current model for a summary of the conversation, outside of the conversation, and shows it. */
export default function summarize(pi: ExtensionAPI) {
  pi.registerCommand('summarize', {
    description: 'Shows a summary of this conversation',
    handler: async (_args, ctx) => {
      const said = ctx.sessionManager.getBranch().flatMap(entry => {
        if (entry.type !== 'message') return [];
        const { message } = entry;
        if (message.role === 'user' && typeof message.content === 'string') return [`User: ${message.content}`];
        if (message.role !== 'user' && message.role !== 'assistant') return [];
        const texts = [message.content]
          .flat()
          .flatMap(part => (typeof part === 'object' && part.type === 'text' ? [part.text] : []));
        return texts.length === 0 ? [] : [`${message.role}: ${texts.join('\n')}`];
      });
      if (ctx.model === undefined || said.length === 0) {
        ctx.ui.notify('There is nothing to summarize', 'warning');
        return;
      }
      const prompt = `Summarize this conversation in three sentences.\n\n${said.join('\n\n')}`;
      const messages = [{ role: 'user' as const, content: prompt, timestamp: Date.now() }];
      const answer = await ctx.modelRegistry.complete(ctx.model, { messages });
      const text = answer.content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
      ctx.ui.notify(answer.stopReason === 'error' ? `No summary: ${answer.errorMessage}` : text);
    },
  });
}
