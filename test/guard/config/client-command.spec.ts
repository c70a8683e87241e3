import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isClientCommand, clientCommand, requireClientProgram } from '../../../src/guard/config/client-command';
import { itOnPosix } from '../../support/platform';

describe('the command that agents run for an event', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'own-command-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  /** A client that prints that it ran, in a folder that needs quotes, and its command. */
  const commandOfClient = (): string => {
    const guard = join(folder, "it's here", 'guard');
    mkdirSync(guard, { recursive: true });
    const place = { client: join(guard, 'client.sh'), nodeClient: join(guard, 'client.mjs') };
    writeFileSync(place.client, 'printf "%s %s" "$1" "$2"\n');
    return clientCommand(place, 'claude', 'PreToolUse', { env: process.env, platform: process.platform });
  };
  const program = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o700);
    return path;
  };
  itOnPosix('runs the client whatever variables a repository gives its agent', () => {
    program('bash', 'exit 0');
    const command = commandOfClient();
    const startFile = { BASH_ENV: program('start', 'exit 0') };
    const functions = { 'BASH_FUNC_printf%%': '() { exit 0; }', 'BASH_FUNC_bash%%': '() { exit 0; }' };
    const path = { PATH: folder };
    for (const [shell, ...given] of [
      ['/bin/sh', startFile, functions, path],
      // Copilot runs commands in it. A start file ends that bash before it sees the command.
      ['/bin/bash', functions, path],
    ] as const) {
      for (const env of given) {
        const output = execFileSync(shell, ['-c', command], { env, encoding: 'utf8' });
        assert.equal(output, 'claude PreToolUse', `${shell} with ${Object.keys(env).join()}`);
      }
    }
  });

  it('names the bash of the usual place, else one on PATH whose path a shell takes as it is', () => {
    const place = { client: '/g/client.sh', nodeClient: '/g/client.mjs' };
    const env = { PATH: '/my programs:/opt/bin' };
    const commandWith = (...there: readonly string[]): string =>
      clientCommand(place, 'codex', 'Stop', { env, platform: 'linux', exists: path => there.includes(path) });
    assert.equal(commandWith('/opt/bin/bash', '/bin/bash'), "/bin/bash -p '/g/client.sh' codex Stop");
    assert.equal(commandWith('/my programs/bash', '/opt/bin/bash'), "/opt/bin/bash -p '/g/client.sh' codex Stop");
  });

  it('needs bash, except on Windows', () => {
    const none = { env: {}, exists: () => false };
    assert.throws(() => requireClientProgram({ ...none, platform: 'linux' }), /bash was not found/);
    requireClientProgram({ ...none, platform: 'win32' });
    requireClientProgram({ ...none, platform: 'darwin', exists: path => path === '/bin/bash' });
  });

  it('is known as ours, also as earlier versions wrote it', () => {
    const own = [
      commandOfClient(),
      "bash '/x/guard/client.sh' codex PreToolUse",
      "/usr/bin/bash -p '/x/guard/client.sh' codex PreToolUse",
      'node "/x/guard/client.mjs" copilot Stop',
    ];
    for (const command of own) assert.ok(isClientCommand(command), command);
    const others = [
      `${commandOfClient()}; true`,
      "/bin/bash -x '/x/guard/client.sh' codex PreToolUse",
      "/bin/a b/bash -p '/x/guard/client.sh' codex PreToolUse",
      "/bin/bash -p '/x/client.sh' codex PreToolUse",
    ];
    for (const command of others) assert.ok(!isClientCommand(command), command);
  });
});
