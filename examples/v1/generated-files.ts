import { basename } from 'node:path';
import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';

/** Files that a tool writes, and what to do instead of writing them by hand. */
const MADE_BY: readonly { readonly name: RegExp; readonly instead: string }[] = [
  { name: /^package-lock\.json$/, instead: 'change package.json and run "npm install"' },
  { name: /^(?:pnpm-lock\.yaml|yarn\.lock|Cargo\.lock|poetry\.lock)$/, instead: 'let the package manager write it' },
  { name: /\.(?:min\.js|snap)$/, instead: 'run what generates it' },
];

/**
 * Keeps `write` and `edit` away from generated files. The reason says what to do instead, because the model reads it as
 * the result of the call.
 */
export default function generatedFiles(pi: HookAPI) {
  pi.on('tool_call', (event, ctx) => {
    if (event.toolName !== 'write' && event.toolName !== 'edit') return undefined;
    const path = String(event.input.path ?? '');
    const rule = MADE_BY.find(({ name }) => name.test(basename(path)));
    if (rule === undefined) return undefined;
    ctx.ui.notify(`Kept ${basename(path)} from being written by hand`, 'warning');
    return { block: true, reason: `${path} is generated: ${rule.instead}.` };
  });
}
