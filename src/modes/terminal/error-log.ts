import type { Log } from '../../base/log';

/** A log whose entries are printed, each with its level. */
export function errorLog(printError: (text: string) => void): Log {
  const line =
    (level: string) =>
    (message: string, error?: unknown): void => {
      printError(`[${level}] ${message}${error instanceof Error ? `\n${error.stack ?? ''}` : ''}`);
    };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}
