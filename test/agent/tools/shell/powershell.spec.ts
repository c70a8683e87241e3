import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createBuiltinTools, toolFacts } from '../../../../src/agent/tools/index';
import {
  createLocalPowerShellOperations,
  createPowerShellTool,
  getPowerShellConfig,
  powerShellScript,
} from '../../../../src/agent/tools/shell/powershell';
import { findPowerShell } from '../../../../src/agent/tools/shell/shell';
import type { AnyTool } from '../../../../src/agent/tools/tool';
import { Rig } from '../../../support/conversation-rig';
import { call, textOf } from '../fixture';

/** Prints what it was started with, and runs the last lines of the script as `sh`. */
const FAKE = `#!/bin/sh
for last in "$@"; do :; done
echo "$# $1 $2 $3 $4 $5"
printf '%s' "$last" | tail -n +2 | sh
`;

describe('the powershell tool', () => {
  let folder: string;
  let path: string | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hookline pwsh ä '));
    writeFileSync(join(folder, 'pwsh'), FAKE);
    chmodSync(join(folder, 'pwsh'), 0o755);
    path = process.env['PATH'];
    process.env['PATH'] = `${folder}${delimiter}${path ?? ''}`;
  });
  afterEach(() => {
    process.env['PATH'] = path;
    rmSync(folder, { recursive: true, force: true });
  });

  it('starts PowerShell without profile and questions, and runs the line in it', async () => {
    const result = await call(createPowerShellTool(folder), { command: 'echo "from $(pwd)"' });
    assert.equal(textOf(result), `6 -NoProfile -NonInteractive -ExecutionPolicy Bypass -Command\nfrom ${folder}\n`);
  });

  it('runs a line that is too long for an argument from a file, which has the code of its end', async () => {
    const fake = '#!/bin/sh\necho "$# $1 $2 $3 $4 $5"; head -c 3 "$6" | od -An -tx1; wc -c < "$6"; tail -n 4 "$6"\n';
    writeFileSync(join(folder, 'pwsh'), fake);
    const command = `Get-Date # ${'ä'.repeat(100_000)}\nWrite-Output 'end'`;
    const length = Buffer.byteLength(`\ufeff${powerShellScript('pwsh', command)}\n;\nif ($?) { exit 0 }\nexit 1`);
    assert.equal(
      textOf(await call(createPowerShellTool(folder), { command })),
      [
        '6 -NoProfile -NonInteractive -ExecutionPolicy Bypass -File',
        ' ef bb bf',
        String(length),
        "Write-Output 'end'",
        ';',
        'if ($?) { exit 0 }',
        'exit 1',
      ].join('\n'),
    );
  });

  it('fails as bash does', async () => {
    await assert.rejects(call(createPowerShellTool(folder), { command: 'exit 3' }), /Command exited with code 3/);
    await assert.rejects(
      call(createPowerShellTool(join(folder, 'gone')), { command: 'true' }),
      /Working directory does not exist: .*\nCannot execute PowerShell commands\./,
    );
  });

  it('has a spawn hook, operations of its own, and tells the session unless it must not', async () => {
    const spawned = createPowerShellTool(folder, {
      spawnHook: context => ({ ...context, command: `echo hooked; ${context.command}` }),
    });
    assert.match(textOf(await call(spawned, { command: 'true' })), /\nhooked\n$/);
    const lines: string[] = [];
    const elsewhere = createPowerShellTool(folder, {
      operations: { exec: (line, cwd) => Promise.resolve({ exitCode: lines.push(`${cwd}: ${line}`) - 1 }) },
      exposeSessionEnvironment: false,
    });
    assert.equal(textOf(await call(elsewhere, { command: 'Get-Date' })), '(no output)');
    assert.deepEqual([lines, elsewhere.promptGuidelines], [[`${folder}: Get-Date`], undefined]);
    assert.equal(spawned.promptGuidelines?.length, 1);
  });

  it('is started by the operations of this machine for hooks, too', async () => {
    const chunks: Buffer[] = [];
    const { exitCode } = await createLocalPowerShellOperations().exec('echo hi', folder, {
      onData: data => void chunks.push(data),
    });
    assert.deepEqual([exitCode, Buffer.concat(chunks).toString().split('\n')[1]], [0, 'hi']);
    assert.deepEqual(getPowerShellConfig(), {
      shell: join(folder, 'pwsh'),
      args: ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-Command'],
    });
  });

  it('is there where a PowerShell is, and off until it is asked for', async () => {
    const there = createBuiltinTools({ cwd: folder });
    assert.equal(there.at(-1)?.name, 'powershell');
    assert.deepEqual([toolFacts('powershell').icon, toolFacts('powershell').summaryKind], ['terminal', 'command']);
    const rig = await Rig.open(
      [{ calls: [{ id: 'a', name: 'powershell', args: { command: 'echo run' } }] }, { text: 'ok' }],
      {
        settings: { defaultTools: ['-bash', '+powershell'] },
        extensions: {
          'guard.ts': `import { isPowerShellToolResult, isToolCallEventType } from '@earendil-works/pi-coding-agent';
          export default pi => {
            pi.on('tool_call', event => {
              if (isToolCallEventType('powershell', event)) event.input.command += ' guarded';
            });
            pi.on('tool_result', event => isPowerShellToolResult(event)
              ? { content: [...event.content, { type: 'text', text: 'seen' }] } : undefined);
          };\n`,
        },
      },
    );
    try {
      assert.deepEqual(
        rig.conversation.toolset.activeNames().filter(name => /bash|powershell/.test(name)),
        ['powershell'],
      );
      await rig.chat.submit('go');
      assert.match(rig.items('tool')[0]?.output ?? '', /run guarded\n\nseen$/);
    } finally {
      await rig.close();
    }
    const usual = await Rig.open([]);
    try {
      assert.ok(usual.chat.conversation.toolset.all().some(({ name }) => name === 'powershell'));
      assert.ok(!usual.chat.conversation.toolset.activeNames().includes('powershell'));
    } finally {
      await usual.close();
    }
  });

  it('is not there where none is', () => {
    process.env['PATH'] = join(folder, 'nothing');
    assert.ok(!createBuiltinTools({ cwd: folder }).some(({ name }: AnyTool) => name === 'powershell'));
    assert.throws(() => getPowerShellConfig(), /No PowerShell found\. Searched:/);
  });
});

describe('PowerShell on Windows', () => {
  const env = { PATH: 'C:\\bin', ProgramFiles: 'C:\\Programs', SystemRoot: 'C:\\Windows' };
  const places = [
    'C:\\bin\\pwsh.exe',
    'C:\\Programs\\PowerShell\\7\\pwsh.exe',
    'C:\\bin\\powershell.exe',
    'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe',
  ];

  it('is found in the order of pi: version 7 first, on PATH or installed', () => {
    for (const [at, place] of places.entries()) {
      const exists = (candidate: string): boolean => places.indexOf(candidate) >= at;
      assert.equal(findPowerShell({ platform: 'win32', env, exists }), place);
    }
  });

  it('exits as version 7 would, where it is that of Windows', () => {
    assert.ok(!powerShellScript('C:\\x\\pwsh.exe', 'git push 2>&1').includes('LASTEXITCODE'));
    const script = powerShellScript('C:\\x\\PowerShell.exe', 'git push 2>&1').split('\n');
    assert.deepEqual([script[1], script[2], script.at(-1)], ['git push 2>&1', ';', 'exit 1']);
    assert.ok(powerShellScript('C:\\x\\powershell.exe', 'echo `').endsWith('echo `'));
  });
});
