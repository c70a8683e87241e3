import { isOlderThanExtensions } from '../../hooks/dialects';
import type { DialectId } from '../../hooks/hook';
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
    // What the user typed behind the name, word by word. The status is shown to them.
    handler: async ctx => {
      const [who = 'world'] = ctx.args;${CURSOR}
      return { status: \`Hello, \${who}!\` };
    },
  });`;
  }
  if (dialect === 'tree') {
    return `  pi.registerCommand('${kebab}', {
    description: 'Says hello',
    // What the user typed behind the name is in ctx.args.
    handler: async ctx => {
      const who = ctx.args.trim() || 'world';${CURSOR}
      ctx.ui.notify(\`Hello, \${who}!\`, 'info');
    },
  });`;
  }
  const completions = `
    // Offered while the user types what comes behind the name.
    getArgumentCompletions: typed =>
      ['moon', 'world'].filter(who => who.startsWith(typed)).map(who => ({ value: who, label: who })),`;
  return `  pi.registerCommand('${kebab}', {
    description: 'Says hello',${isOlderThanExtensions(dialect) ? '' : completions}
    // args is what the user typed behind the name.
    handler: async (args, ctx) => {
      const who = args.trim() || 'world';${CURSOR}
      ctx.ui.notify(\`Hello, \${who}!\`, 'info');
    },
  });`;
}
