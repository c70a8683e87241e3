import { importOf, NEWEST_FIRST } from './dialect-shape';
import { CURSOR, type HookTemplate } from './template';

export const blockCommands: HookTemplate = {
  label: 'Block commands',
  detail: 'Blocks shell commands that you list, without asking',
  fileName: 'block-commands',
  dialects: NEWEST_FIRST,
  body: (shape, { camel }) => `
${importOf(shape)}

/** Commands that never run, and the reason that the model gets. */
const BLOCKED = [
  { pattern: /\\bgit\\s+push\\b.*\\s(-f|--force)\\b/, reason: 'Force pushes are not allowed here.' },
  { pattern: /\\bsudo\\b/, reason: 'Commands as root are not allowed here.' },${CURSOR}
];

/** Blocks a command of the list, and tells the model why. */
export default function ${camel}(pi: ${shape.api}) {
  pi.on('tool_call', async event => {
    if (event.toolName !== 'bash') return undefined;
    const command = String(event.input.command ?? '');
    const rule = BLOCKED.find(({ pattern }) => pattern.test(command));
    return rule === undefined ? undefined : { block: true, reason: rule.reason };
  });
}`,
};
