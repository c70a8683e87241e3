import type { Log } from '../../base/log';
import { execCommand } from '../../agent/tools/shell/exec';

/** Opens a page in the user's browser with a program of the operating system; if that fails, this is only logged. */
export function openBrowser(url: URL, cwd: string, log: Log): void {
  const [command, ...args] = opener(url.href);
  void execCommand(command, args, { cwd }).then(({ code, stderr }) => {
    if (code !== 0) log.warn(`No browser could be opened with ${command}: ${stderr}`);
  });
}

function opener(href: string): readonly [string, ...string[]] {
  if (process.platform === 'darwin') return ['open', href];
  return process.platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler', href] : ['xdg-open', href];
}
