import type { PiSettings } from '../agent/settings/pi-settings';
import { commandEnvironment } from '../agent/tools/shell/process';
import type { PlainReading, PlainReadingChoice } from '../gate/commands/plain-reading';

export interface PlainReadingParts {
  readonly choice: () => PlainReadingChoice;
  /** Whether the folder is trusted. */
  readonly isTrusted: () => boolean;
  readonly settings: () => Pick<PiSettings, 'shellPath' | 'shellCommandPrefix'>;
  readonly platform?: NodeJS.Platform;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * How commands that only read run without a question: in a trusted folder, in the shell that Hookline finds, and without
 * a line that runs before each command.
 */
export function plainReadingFor(parts: PlainReadingParts): () => PlainReading | undefined {
  const { choice, isTrusted, settings, platform = process.platform, env = process.env } = parts;
  return () => {
    const { shellPath = '', shellCommandPrefix = '' } = settings();
    if (!isTrusted() || shellPath !== '' || shellCommandPrefix !== '') return undefined;
    return { choice: choice(), platform, env: commandEnvironment(env) };
  };
}
