import { createReadToolDefinition, type ExtensionAPI } from '@earendil-works/pi-coding-agent';

/**
 * Replaces the tool `read` by one that does the same and keeps a list of the files that were read. A tool with the name
 * of a built-in one takes its place; the built-in one can still be called, as here.
 */
export default function readWithNotes(pi: ExtensionAPI) {
  const builtIn = createReadToolDefinition(process.cwd());
  pi.registerTool({
    ...builtIn,
    execute: async (id, params, signal, onUpdate, ctx) => {
      const own = createReadToolDefinition(ctx.cwd);
      const result = await own.execute(id, params, signal, onUpdate, ctx);
      pi.appendEntry('file-read', { path: params.path, at: Date.now() });
      return result;
    },
  });
  pi.registerCommand('files-read', {
    description: 'Lists the files that the agent has read on this branch',
    handler: async (_args, ctx) => {
      const paths = ctx.sessionManager
        .getBranch()
        .flatMap(entry =>
          entry.type === 'custom' && entry.customType === 'file-read' ? [(entry.data as { path: string }).path] : [],
        );
      ctx.ui.notify(paths.length === 0 ? 'No file was read' : [...new Set(paths)].join('\n'));
    },
  });
}
