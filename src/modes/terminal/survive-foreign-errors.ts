import { messageOf } from '../../base/errors';

/** Reports errors of hook code that nothing catches; otherwise they would end the process. */
export function surviveForeignErrors(process: Pick<NodeJS.Process, 'on'>, printError: (text: string) => void): void {
  const tell = (error: unknown): void => {
    printError(
      `Error outside of any run: ${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}`,
    );
  };
  process.on('uncaughtException', tell);
  process.on('unhandledRejection', tell);
}
