import { realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/** Files and folders that stay as they are, at any depth. */
const PROTECTED = ['.git', '.env', '.pi', 'node_modules'];

/**
 * Blocks `write` and `edit` in protected paths. Links are followed first, so that a link to a protected folder does
 * not get around the gate. Shell commands can still write there: combine it with permission-gate.ts.
 */
export default function protectedPaths(pi: ExtensionAPI) {
  pi.on('tool_call', async (event, ctx) => {
    if (event.toolName !== 'write' && event.toolName !== 'edit') return undefined;
    const path = String(event.input.path);
    // The tools read these in a way of their own, so that this gate would look at another file.
    if (/^[@~]|^file:|[^\S ]/i.test(path)) return { block: true, reason: 'Give a relative or an absolute path.' };
    for (const target of [resolve(ctx.cwd, path), await real(resolve(ctx.cwd, path))]) {
      const parts = relative(await realpath(ctx.cwd), target).split(/[\\/]/);
      const found = parts.find(part => PROTECTED.includes(part.trim().toLowerCase()));
      if (found !== undefined) return { block: true, reason: `"${path}" is protected: do not change ${found}.` };
    }
    return undefined;
  });
}

/** The path without links. What does not exist yet is added to its nearest folder that does. */
async function real(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    // Any other error is thrown, and a gate that throws blocks the call.
    if (!missing || dirname(path) === path) throw error;
    return join(await real(dirname(path)), basename(path));
  }
}
