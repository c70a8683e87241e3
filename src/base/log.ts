/** Where diagnostics go; the extension answers it with an output channel, tests with an array. */
export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
}

const ignore = (): void => undefined;

/** Says nothing. */
export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
