import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Type } from 'typebox';
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/** A tool for the model: a schema that its arguments are checked against, progress while it works, an error as a result. */
export default function wordCount(pi: ExtensionAPI) {
  pi.registerTool({
    name: 'word_count',
    label: 'Count words',
    description: 'Counts the words of text files.',
    promptGuidelines: ['Use word_count instead of reading files only to count their words.'],
    parameters: Type.Object({ paths: Type.Array(Type.String(), { minItems: 1 }) }),
    execute: async (_id, { paths }, signal, onUpdate, ctx) => {
      const lines: string[] = [];
      for (const path of paths) {
        signal?.throwIfAborted();
        // What is thrown here is told to the model as the tool's error.
        const text = await readFile(resolve(ctx.cwd, path), 'utf8');
        lines.push(`${path}: ${text.split(/\s+/).filter(Boolean).length}`);
        onUpdate?.({ content: [{ type: 'text', text: lines.join('\n') }], details: undefined });
      }
      return { content: [{ type: 'text', text: lines.join('\n') }], details: undefined };
    },
  });
}
