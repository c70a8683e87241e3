import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** The scripted server; absolute. */
export const MCP_SERVER = resolve('test/fixtures/mcp/server.mjs');

/** What test/fixtures/mcp/server.mjs does; the file says what can stand here. */
export type Scenario = Readonly<Record<string, unknown>>;

/** An entry of mcp.json that starts the scripted server. */
export function scripted(scenario: Scenario, more: object = {}): object {
  return { command: process.execPath, args: [MCP_SERVER, JSON.stringify(scenario)], exposure: 'direct', ...more };
}

/** The scripted server over HTTP; `url` is its address. */
export async function scriptedHttp(
  scenario: Scenario,
): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-mcp-'));
  const file = join(folder, 'port');
  const child = spawn(process.execPath, [MCP_SERVER, JSON.stringify(scenario), '--http', file], { stdio: 'inherit' });
  let port = '';
  while (port === '' && child.exitCode === null) {
    await delay(5);
    port = readIfThere(file);
  }
  rmSync(folder, { recursive: true, force: true });
  if (port === '') throw new Error('the scripted server ended before it said its port');
  return { url: `http://127.0.0.1:${port}/mcp`, child };
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // It is not written yet.
  }
}
