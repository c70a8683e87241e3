import type { HookAPI } from '@oh-my-pi/pi-coding-agent/hooks';

/**
 * Tells whoever writes the summary what must not get lost: the files that are changed and not committed. They also stay
 * with the compaction as data, where other tools find them.
 */
export default function compactionFocus(pi: HookAPI): void {
  pi.on('session.compacting', async () => {
    const { stdout, code } = await pi.exec('git', ['diff', '--name-only', 'HEAD']);
    const files = code === 0 ? stdout.split('\n').filter(line => line !== '') : [];
    if (files.length === 0) return undefined;
    return {
      context: [`Work in progress, name each of these files and what is left to do in it: ${files.join(', ')}`],
      preserveData: { filesInProgress: files },
    };
  });
}
