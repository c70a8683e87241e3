import type { Log } from '../../base/log';
import { execCommand } from '../../agent/tools/shell/exec';

/** Opens a page in the user's browser with a program of the operating system; if that fails, this is only logged. */
export function openBrowser(url: URL, cwd: string, log: Log): void {
  const [command, ...args] = browserOpener(url.href, process.platform);
  void execCommand(command, args, { cwd }).then(({ code, stderr }) => {
    if (code !== 0) log.warn(`No browser could be opened with ${command}: ${stderr}`);
  });
}

/** The program of a system that opens a page in the browser, and its arguments. No shell reads them. */
export function browserOpener(href: string, platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open', href];
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler', href] : ['xdg-open', href];
}
