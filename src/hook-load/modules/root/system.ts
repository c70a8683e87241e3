import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { isReachable } from '../../../base/files/on-disk';
import { findShell } from '../../../agent/tools/shell/shell';

/** The shell program and its arguments to run bash. @throws Error that says where bash was searched for */
export function getShellConfig(shellPath?: string): { shell: string; args: string[] } {
  const { platform, env } = process;
  return { shell: findShell({ platform, env, shellPath, exists: isReachable }), args: ['-c'] };
}

/**
 * Programs that copy their standard input to the clipboard, for this operating system; the first that works is used.
 */
function clipboardPrograms(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
): readonly (readonly [string, ...string[]])[] {
  if (platform === 'darwin') return [['pbcopy']];
  if (platform === 'win32') return [['clip']];
  return [
    ...(env['TERMUX_VERSION'] ? [['termux-clipboard-set'] as const] : []),
    ...(env['WAYLAND_DISPLAY'] ? [['wl-copy'] as const] : []),
    ...(env['DISPLAY']
      ? ([
          ['xclip', '-selection', 'clipboard'],
          ['xsel', '--clipboard', '--input'],
        ] as const)
      : []),
  ];
}

/** Puts a text on the clipboard of the system. Rejects when no program for it works. */
export async function copyWithProgram(text: string): Promise<void> {
  for (const [program, ...args] of clipboardPrograms(process.platform, process.env)) {
    if (await feeds(program, args, text)) return;
  }
  throw new Error('Clipboard unavailable');
}

function feeds(program: string, args: readonly string[], text: string): Promise<boolean> {
  return new Promise(resolve => {
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'], timeout: 5000, windowsHide: true });
    child.on('error', () => resolve(false));
    child.on('exit', code => resolve(code === 0));
    child.stdin.on('error', () => undefined); // The exit code says whether it worked.
    child.stdin.end(text);
  });
}

/** pi's functions that return the paths of the product's documents and examples. */
export function packagePaths(packageDir: () => string): Readonly<Record<string, () => string>> {
  return {
    getPackageDir: packageDir,
    getReadmePath: () => join(packageDir(), 'README.md'),
    getDocsPath: () => join(packageDir(), 'docs'),
    getExamplesPath: () => join(packageDir(), 'examples'),
  };
}
