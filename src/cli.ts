#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import * as module from 'node:module'; // By name, an older Node would refuse this file before it can say why.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AGENT_MARKS } from './agent/tools/shell/process';
import { titleWithoutKeys } from './modes/arguments/process-title';
import type { CodePlace } from './startup/hook-setup';
import { cacheFolder, stateFolder } from './startup/own-folders';

function codePlace(): CodePlace {
  const distDir = dirname(fileURLToPath(import.meta.url));
  const manifest: unknown = JSON.parse(readFileSync(join(distDir, '..', 'package.json'), 'utf8'));
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : '';
  return {
    distDir,
    jitiDir: join(distDir, 'jiti'),
    storageDir: cacheFolder(),
    stateDir: stateFolder(),
    version: typeof version === 'string' ? version : '',
  };
}

/** The folder in which the process was started. The process ends if it was deleted. */
function startFolder(): string {
  try {
    // eslint-disable-next-line no-restricted-syntax -- here is where the process's folder becomes a parameter
    return process.cwd();
  } catch {
    process.stderr.write('hookline: the folder in which it was started does not exist any more.\n');
    return process.exit(1);
  }
}

// Before anything else, since the list of processes shows it from the start.
const title = titleWithoutKeys(process.argv);
if (title !== undefined) process.title = title;

/** The oldest Node that pi-ai runs on. */
const OLDEST_NODE = [22, 19] as const;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
  process.stderr.write(`hookline needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  const code = codePlace();
  module.enableCompileCache(join(code.storageDir, 'node-code')); // For packages, and for jiti.
  const { runCli } = await import('./modes/main');
  const caller = { env: { ...process.env }, ppid: process.ppid };
  // Hooks, and what they start by themselves, look for them here.
  Object.assign(process.env, AGENT_MARKS);
  const exitCode = await runCli({ argv: process.argv.slice(2), cwd: startFolder(), process, caller, code });
  // What a slow reader has not read yet would be lost. A mode that takes over stdout has flushed it.
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise<void>(resolve => stream.on('error', () => resolve()).write('', () => resolve()));
  }
  // Explicit: code of hooks may hold the process open after everything of ours has ended.
  process.exit(exitCode);
}

// Of a process that ends before its work is done, as nothing is left that it could wait for. Not set earlier: hooks can read it.
process.once('exit', () => (process.exitCode ??= 1));
void main();
