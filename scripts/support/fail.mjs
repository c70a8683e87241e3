import { realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** An expected failure: its message is for the person at the terminal, its stack is not. */
export class UserError extends Error {}

/**
 * Runs a script's main function and turns its outcome into an exit code: 0, the number it returns, or 1 with the error
 * printed (without a stack when it is a UserError).
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
 * @param {string} moduleUrl `import.meta.url` of the asking module
 * @returns {boolean} whether that module is the program that was started
 */
export function isMain(moduleUrl) {
  return process.argv[1] !== undefined && moduleUrl === pathToFileURL(realpathSync(process.argv[1])).href;
}
