import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/** Adds `/stats`: what happened in this session so far, in two lines. */
export default function commands(pi: ExtensionAPI) {
  pi.registerCommand('stats', {
    description: 'Show session statistics',
    handler: async (_args, ctx) => {
      const counts = { questions: 0, answers: 0, tools: 0, tokens: 0 };
      for (const entry of ctx.sessionManager.getEntries()) {
        if (entry.type !== 'message') continue;
        const { message } = entry;
        if (message.role === 'user') counts.questions += 1;
        if (message.role !== 'assistant') continue;
        counts.answers += 1;
        counts.tools += message.content.filter(part => part.type === 'toolCall').length;
        counts.tokens += message.usage.input + message.usage.output;
      }
      const { questions, answers, tools, tokens } = counts;
      ctx.ui.notify(
        `${questions} messages of yours, ${answers} answers, ${tools} tool calls\n${tokens} tokens sent and received`,
        'info',
      );
    },
  });
}
