import { importOf, NEWEST_FIRST } from './dialect-shape';
import { CURSOR, type HookTemplate } from './template';

export const protectedPaths: HookTemplate = {
  label: 'Protected paths',
  detail: 'Blocks the write and edit tools for files and folders that you list',
  fileName: 'keep-out',
  dialects: NEWEST_FIRST,
  body: (shape, { camel }) => `
import { relative, resolve } from 'node:path';
${importOf(shape)}

/** Files and folders of the workspace that stay as they are. */
const PROTECTED = ['.git', '.env'${CURSOR}];

/** Blocks what would change a protected file, and tells the model why. */
export default function ${camel}(pi: ${shape.api}) {
  pi.on('tool_call', async (event, ctx) => {
    if (event.toolName !== 'write' && event.toolName !== 'edit') return undefined;
    const path = String(event.input.path ?? '');
    // As the tool will see it: "a/../.env" is ".env" too.
    const inside = relative(ctx.cwd, resolve(ctx.cwd, path)).replaceAll('\\\\', '/');
    const rule = PROTECTED.find(each => inside === each || inside.startsWith(\`\${each}/\`));
    return rule === undefined ? undefined : { block: true, reason: \`\${path} is protected by the rule "\${rule}".\` };
  });
}`,
};
