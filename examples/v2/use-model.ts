import type { HookAPI, ThinkingLevel } from '@mariozechner/pi-coding-agent/hooks';

const LEVELS: readonly ThinkingLevel[] = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'];

/**
 * `/use <model> [level]` switches the model, and how much it thinks, in one go. Any part of the model's id will do:
 *
 *     /use haiku low
 */
export default function use(pi: HookAPI) {
  pi.command('use', {
    description: 'Switch model and thinking level',
    handler: async ctx => {
      const [part = '', level] = ctx.args;
      const models = await ctx.availableModels();
      const model = models.find(({ id }) => id.includes(part));
      if (part === '' || model === undefined) {
        return { status: `Known models: ${models.map(({ id }) => id).join(', ') || 'none; no key is set'}` };
      }
      if (!(await ctx.setModel(model))) return { status: `No key is known for ${model.provider}` };

      const wanted = LEVELS.find(each => each === level);
      if (wanted !== undefined) ctx.setThinkingLevel(wanted);
      return { status: `Using ${model.id}${wanted === undefined ? '' : `, thinking: ${wanted}`}` };
    },
  });
}
