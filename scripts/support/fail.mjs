import { realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** An expected failure. Its message is printed for the user, without a stack. */
export class UserError extends Error {}

/**
 * Runs the main function of a script and sets the exit code: the number that it returns, else 0. When it fails, prints the
 * error (without a stack for a UserError) and sets 1.
 * @param {() => Promise<number | void> | number | void} main
 */
export async function runMain(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    console.error(error instanceof UserError ? `hookline: ${error.message}` : error);
    process.exitCode = 1;
  }
}

/**
 * @param {string} moduleUrl `import.meta.url` of the module
 * @returns {boolean} whether that module is the program that was started
 */
export function isMain(moduleUrl) {
  return process.argv[1] !== undefined && moduleUrl === pathToFileURL(realpathSync(process.argv[1])).href;
}
