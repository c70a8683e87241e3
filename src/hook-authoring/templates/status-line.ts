import { importOf } from './dialect-shape';
import { CURSOR, type HookTemplate } from './template';

export const statusLine: HookTemplate = {
  label: 'Status line',
  detail: 'Shows a text of yours in the status bar while the agent works',
  fileName: 'tool-counter',
  dialects: ['pi', 'ext', 'omp'],
  body: (shape, { camel, kebab }) => `
${importOf(shape)}

/** Each hook may show several texts, each under its own key. */
const KEY = '${kebab}';

/** Counts the tool calls of the run in the status bar. */
export default function ${camel}(pi: ${shape.api}) {
  let calls = 0;

  pi.on('agent_start', async (_event, ctx) => {
    calls = 0;
    ctx.ui.setStatus(KEY, 'no tool called yet');
  });

  pi.on('tool_call', async (event, ctx) => {
    calls += 1;
    ctx.ui.setStatus(KEY, \`\${calls} tool calls, now \${event.toolName}\`);${CURSOR}
    return undefined;
  });

  pi.on('agent_end', async (_event, ctx) => {
    // Without a text, the status disappears.
    ctx.ui.setStatus(KEY, calls === 0 ? undefined : \`\${calls} tool calls\`);
  });
}`,
};
