// Starts Hookline's MCP server where there is no bash: `node tools.mjs`. It does the same as `tools.sh`.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @param {string} why */
function fail(why) {
  process.stderr.write(`hookline: ${why} Run "hookline guard status" in a terminal to see what to do.\n`);
  process.exit(1);
}

/** @returns {Readonly<Partial<Record<string, string>>>} */
function readProgram() {
  try {
    const lines = readFileSync(join(import.meta.dirname, 'program'), 'utf8').split('\n');
    return Object.fromEntries(
      lines
        .filter(line => line.includes(' '))
        .map(line => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
    );
  } catch {
    return {};
  }
}

const { node, cli, ...variables } = readProgram();
if (node === undefined || cli === undefined) fail('Nothing says which program is the MCP server.');
else if (!existsSync(node) || !existsSync(cli)) fail('The program of the MCP server is no longer there.');
else {
  // A repository may set these for what its agent runs.
  const given = Object.entries(process.env).filter(([name]) => !/^(?:NODE_|LD_|DYLD_|ELECTRON_)/.test(name));
  const all = Object.entries({ ...Object.fromEntries(given), ...variables, ELECTRON_RUN_AS_NODE: '1' });
  const env = Object.fromEntries(all.filter(([, value]) => value !== ''));
  const server = spawn(node, [cli, 'mcp', 'serve'], { env, stdio: 'inherit', windowsHide: true });
  server.on('error', error => fail(`The MCP server did not start: ${error.message}.`));
  server.on('exit', code => process.exit(code ?? 1));
}
