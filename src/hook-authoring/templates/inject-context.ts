import { importOf, type DialectShape } from './dialect-shape';
import { CURSOR, type HookNames, type HookTemplate } from './template';

export const injectContext: HookTemplate = {
  label: 'Inject context',
  detail: 'Adds the contents of a file to every prompt',
  fileName: 'notes',
  dialects: ['pi', 'ext', 'omp', 'tree', 'v2'],
  body: (shape, names) => `
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
${importOf(shape)}

/** A file of the workspace. While it does not exist or is empty, nothing is added. */
const FILE = '.pi/notes.md';${CURSOR}

${shape.id === 'v2' ? throughContext(shape, names) : throughMessage(shape, names)}

async function notesIn(cwd: string): Promise<string> {
  try {
    return (await readFile(join(cwd, FILE), 'utf8')).trim();
  } catch {
    return ''; // No such file.
  }
}`,
};

function throughMessage({ api }: DialectShape, { camel, kebab }: HookNames): string {
  return `/** Adds the notes after each prompt of the user. They stay in the session. */
export default function ${camel}(pi: ${api}) {
  pi.on('before_agent_start', async (_event, ctx) => {
    const notes = await notesIn(ctx.cwd);
    if (notes === '') return undefined;
    return { message: { customType: '${kebab}', content: \`Notes of the user:\\n\${notes}\`, display: false } };
  });
}`;
}

function throughContext({ api }: DialectShape, { camel }: HookNames): string {
  return `/** Adds the notes to each request to the model; the session on disk does not get them. */
export default function ${camel}(pi: ${api}) {
  pi.on('context', async (event, ctx) => {
    const notes = await notesIn(ctx.cwd);
    if (notes === '') return undefined;
    const message = { role: 'user' as const, content: \`Notes of the user:\\n\${notes}\`, timestamp: Date.now() };
    // This message belongs to no entry of the session.
    return { messages: [{ message, entryIndex: null }, ...event.messages] };
  });
}`;
}
