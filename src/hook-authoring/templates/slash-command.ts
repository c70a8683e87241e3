import { isOlderThanExtensions } from '../../hook-contract/dialects';
import type { DialectId } from '../../hook-contract/dialect-id';
import { importOf } from './dialect-shape';
import { CURSOR, type HookNames, type HookTemplate } from './template';

export const slashCommand: HookTemplate = {
  label: 'Slash command',
  detail: 'Adds a command to the chat and to the Command Palette',
  fileName: 'greet',
  dialects: ['pi', 'ext', 'omp', 'tree', 'v2'],
  body: (shape, names) => `
${importOf(shape)}

/** Adds \`/${names.kebab}\`. */
export default function ${names.camel}(pi: ${shape.api}) {
${registration(shape.id, names)}
}`,
};

function registration(dialect: DialectId, { kebab }: HookNames): string {
  if (dialect === 'v2') {
    return `  pi.command('${kebab}', {
    description: 'Says hello',
    // ctx.args has the words that the user typed after the name. The user sees the status.
    handler: async ctx => {
      const [who = 'world'] = ctx.args;${CURSOR}
      return { status: \`Hello, \${who}!\` };
    },
  });`;
  }
  if (dialect === 'tree') {
    return `  pi.registerCommand('${kebab}', {
    description: 'Says hello',
    // ctx.args is the text that the user typed after the name.
    handler: async ctx => {
      const who = ctx.args.trim() || 'world';${CURSOR}
      ctx.ui.notify(\`Hello, \${who}!\`, 'info');
    },
  });`;
  }
  const completions = `
    // Suggested while the user types the arguments.
    getArgumentCompletions: typed =>
      ['moon', 'world'].filter(who => who.startsWith(typed)).map(who => ({ value: who, label: who })),`;
  return `  pi.registerCommand('${kebab}', {
    description: 'Says hello',${isOlderThanExtensions(dialect) ? '' : completions}
    // args is the text that the user typed after the name.
    handler: async (args, ctx) => {
      const who = args.trim() || 'world';${CURSOR}
      ctx.ui.notify(\`Hello, \${who}!\`, 'info');
    },
  });`;
}
