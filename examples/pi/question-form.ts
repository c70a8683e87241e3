import { Type } from 'typebox';
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

const OWN_ANSWER = 'Something else…';

/** A tool with which the model asks you several questions at once instead of guessing. */
export default function questionForm(pi: ExtensionAPI) {
  const question = Type.Object({ text: Type.String(), options: Type.Array(Type.String(), { maxItems: 6 }) });
  pi.registerTool({
    name: 'ask_user',
    label: 'Ask the user',
    description: 'Asks the user questions, each with some likely answers. Use it when a decision is theirs.',
    parameters: Type.Object({ questions: Type.Array(question, { minItems: 1, maxItems: 5 }) }),
    executionMode: 'sequential',
    execute: async (_id, { questions }, signal, _onUpdate, ctx) => {
      if (!ctx.hasUI) throw new Error('Nobody is there to answer. Decide yourself and say what you assumed.');
      const answers: string[] = [];
      for (const { text, options } of questions) {
        const chosen = await ctx.ui.select(text, [...options, OWN_ANSWER], { signal });
        const answer = chosen === OWN_ANSWER ? await ctx.ui.input(text, undefined, { signal }) : chosen;
        if (answer === undefined) throw new Error('The user canceled the questions. Stop and wait for them.');
        answers.push(`${text} ${answer}`);
      }
      return { content: [{ type: 'text', text: answers.join('\n') }], details: { answers } };
    },
  });
}
