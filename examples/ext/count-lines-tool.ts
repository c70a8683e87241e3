import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Type } from '@sinclair/typebox';
import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';

/**
 * A tool for the model: `count_lines` says how long files are, so that it can decide what to read before it reads. The
 * arguments are checked against the schema first; other hooks see its calls like those of any tool.
 */
export default function countLinesTool(pi: ExtensionAPI) {
  pi.registerTool({
    name: 'count_lines',
    label: 'Count lines',
    description: 'Counts the lines of text files, to decide which parts are worth reading.',
    parameters: Type.Object({
      paths: Type.Array(Type.String(), { description: 'Files, relative to the workspace' }),
    }),
    async execute(_toolCallId, params, signal, onUpdate, ctx) {
      const counts: Record<string, number> = {};
      for (const path of params.paths) {
        // What is thrown becomes the result: the model reads it as the tool's error.
        const text = await readFile(resolve(ctx.cwd, path), { encoding: 'utf8', signal });
        counts[path] = text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
        onUpdate({ content: [{ type: 'text', text: table(counts) }], details: counts });
      }
      return { content: [{ type: 'text', text: table(counts) }], details: counts };
    },
  });
}

function table(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([path, lines]) => `${lines}\t${path}`)
    .join('\n');
}
