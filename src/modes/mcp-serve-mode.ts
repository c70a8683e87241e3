import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../base/errors';
import { isFolder } from '../base/files/on-disk';
import { guardPlace } from '../guard/protocol/place';
import { UsageError } from './arguments/usage-error';
import type { GuardModeParts } from './guard/guard-command-line';
import { serveTools } from './guard/tools/serve-tools';
import { printErrorTo, printText } from './terminal/print';

const SERVE_USAGE = `Usage:
  hookline mcp serve [--cwd <dir>]

An MCP server on stdin and stdout with the tools that the hooks of this folder register. Clients start it.

  --cwd <dir>   another folder
`;

/** `hookline mcp serve` (docs/mcp-server.md). Resolves with the exit code. */
export async function runMcpServeMode(argv: readonly string[], parts: GuardModeParts): Promise<number> {
  const { process } = parts;
  try {
    const { cwd: given, help } = valuesOf(argv);
    if (help === true) {
      printText(process.stdout, SERVE_USAGE);
      return 0;
    }
    const cwd = given === undefined ? parts.cwd : resolve(parts.cwd, given);
    if (!isFolder(cwd)) throw new UsageError(`--cwd needs a folder, and ${cwd} is none.`);
    return await serveTools({ ...parts, cwd, place: guardPlace(parts.code.stateDir) });
  } catch (error) {
    printErrorTo(process.stderr, `hookline: ${messageOf(error)}`);
    return 1;
  }
}

function valuesOf(argv: readonly string[]): { readonly cwd?: string | undefined; readonly help?: boolean | undefined } {
  const options = { cwd: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
  try {
    return parseArgs({ args: [...argv], options }).values;
  } catch (error) {
    throw new UsageError(`${messageOf(error)}\nUsage: hookline mcp serve [--cwd <dir>]`);
  }
}
