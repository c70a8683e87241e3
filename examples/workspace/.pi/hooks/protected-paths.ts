import { relative, resolve, sep } from 'node:path';
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/** Names that no tool may write to, wherever they stand in a path. */
const PROTECTED = ['.env', '.git', 'node_modules'];

/** Keeps the `write` and `edit` tools away from secrets, from git's own files and from installed packages. */
export default function protectedPaths(pi: ExtensionAPI) {
  pi.on('tool_call', async (event, ctx) => {
    if (event.toolName !== 'write' && event.toolName !== 'edit') return undefined;
    const path = String(event.input.path ?? '');
    const steps = relative(ctx.cwd, resolve(ctx.cwd, path)).split(sep);
    const name = PROTECTED.find(each => steps.includes(each));
    return name === undefined ? undefined : { block: true, reason: `"${path}" is protected: ${name} is off limits.` };
  });
}
