import { resolve } from 'node:path';
import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';

/**
 * After the agent wrote a JavaScript file, checks that it parses and adds the complaint to the result: the model hears
 * of the mistake in the same breath, instead of a few turns later when something does not run.
 */
export default function syntaxCheck(pi: ExtensionAPI) {
  pi.on('tool_result', async (event, ctx) => {
    if (event.isError || (event.toolName !== 'write' && event.toolName !== 'edit')) return undefined;
    const path = String(event.input.path ?? '');
    if (!/\.[cm]?js$/.test(path)) return undefined;
    const { code, stderr } = await pi.exec('node', ['--check', resolve(ctx.cwd, path)], { timeout: 10_000 });
    if (code === 0) return undefined;
    const text = `The file was written, but does not parse:\n${stderr.trim()}`;
    return { content: [...event.content, { type: 'text' as const, text }] };
  });
}
