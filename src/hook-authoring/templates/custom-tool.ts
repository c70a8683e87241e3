import { importOf } from './dialect-shape';
import { CURSOR, type HookTemplate } from './template';

export const customTool: HookTemplate = {
  label: 'Custom tool',
  detail: 'Gives the model a tool of your own',
  fileName: 'count-words',
  dialects: ['pi', 'ext'],
  body: (shape, { camel, snake }) => `
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Type } from '${shape.id === 'pi' ? 'typebox' : '@sinclair/typebox'}';
${importOf(shape)}

/** A tool that the model can call; hooks see its calls like those of any other tool. */
export default function ${camel}(pi: ${shape.api}) {
  pi.registerTool({
    name: '${snake}',
    label: 'Count words',
    // The model reads this text to choose a tool.
    description: 'Counts the words of a text file.',
    parameters: Type.Object({
      path: Type.String({ description: 'The file, relative to the workspace' }),
    }),
    async execute(_toolCallId, params, signal, _onUpdate, ctx) {
      // The model gets an exception that is thrown here as the error of the tool.
      const text = await readFile(resolve(ctx.cwd, params.path), { encoding: 'utf8', signal });
      const words = text.split(/\\s+/).filter(word => word !== '').length;${CURSOR}
      return { content: [{ type: 'text', text: \`\${words} words\` }], details: { words } };
    },
  });
}`,
};
