import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONTRACTS } from '../../../src/guard/agents';
import { ALL_SETUPS } from '../../../src/guard/config/agents';
import { installClient } from '../../../src/guard/client/install-client';
import { writeEndpoint } from '../../../src/guard/protocol/endpoint';
import type { GuardPlace } from '../../../src/guard/protocol/place';
import { programOf, writeProgram } from '../../../src/guard/protocol/program';
import { rounds } from '../../support/long-run';
import { CLIENT_KINDS, newGuardPlace, OWN_CODE, refusalIn, runClient } from '../support';

const CLIENT = 'c'.repeat(64);
const HOST = 'd'.repeat(64);
const ALLOW = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}';
/** Agents that name their events alike. */
const ALIKE = ['claude', 'copilot', 'codex'] as const;
const GATES = ['PreToolUse', 'PostToolUse', 'UserPromptSubmit'];

type Answer = (socket: Socket, request: Buffer) => void;

/** A host that answers as the test says. */
class FakeHost {
  requests: Buffer[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer(socket => this.serve(socket));

  private constructor(private readonly answer: Answer) {}

  static async open(place: GuardPlace, answer: Answer, pid = process.pid): Promise<FakeHost> {
    const host = new FakeHost(answer);
    await once(host.server.listen(0, '127.0.0.1'), 'listening');
    const { port } = host.server.address() as { port: number };
    await writeEndpoint(place, { port, client: CLIENT, host: HOST, pid, socket: '/s', version: '1' });
    return host;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    let request = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('data', piece => {
      request = Buffer.concat([request, piece]);
      const end = request.indexOf('\n\n');
      const length = Number(/\nlength (\d+)$/.exec(request.toString('utf8', 0, Math.max(end, 0)))?.[1]);
      if (end < 0 || request.length < end + 2 + length) return;
      this.requests.push(request);
      this.answer(socket, request);
    });
  }
}

const says =
  (output: string, { proof = HOST, length = Buffer.byteLength(output) } = {}): Answer =>
  socket =>
    socket.end(`hookline-guard 1 ${proof} ${length}\n${output}`);

/** Ways in which a client gets no good answer; each returns what ends it. */
const FAILURES: Readonly<
  Record<string, { readonly why: RegExp; readonly make: (place: GuardPlace) => Promise<() => void> }>
> = {
  'there is no endpoint': { why: /no longer there/, make: () => Promise.resolve(() => undefined) },
  'the host of the endpoint has ended': {
    why: /no longer there/,
    make: async place => {
      const ended = spawn(process.execPath, ['--version']);
      await once(ended, 'close');
      // Somebody else has the port by now.
      const host = await FakeHost.open(place, says(ALLOW), ended.pid);
      return () => {
        host.close();
        assert.deepEqual(host.requests, [], 'the foreign process gets nothing');
      };
    },
  },
  'the port is closed': {
    why: /no longer there/,
    make: async place => {
      const host = await FakeHost.open(place, says(ALLOW));
      host.close();
      return () => undefined;
    },
  },
  'a foreign process answers': { why: /another program/, make: answering(says(ALLOW, { proof: 'e'.repeat(64) })) },
  'a foreign process answers without any protocol': {
    why: /another program/,
    make: answering(socket => socket.end(`${ALLOW}\n`)),
  },
  'the secret that the client sent comes back': {
    why: /another program/,
    make: answering(says(ALLOW, { proof: CLIENT })),
  },
  'the host ends before it answers': { why: /before it answered/, make: answering(socket => socket.destroy()) },
  'the answer is cut': { why: /cut short/, make: answering(says(ALLOW, { length: ALLOW.length + 1 })) },
  'the answer is longer than it says': { why: /cut short/, make: answering(says(ALLOW, { length: ALLOW.length - 1 })) },
  'the answer is two objects': { why: /not one JSON object/, make: answering(says(`${ALLOW}${ALLOW}`)) },
  'the answer is a list': { why: /not one JSON object/, make: answering(says('[{"decision":"approve"}]')) },
  'the answer is no JSON': { why: /not one JSON object/, make: answering(says('{"decision":"approve}')) },
  'the length is no number': {
    why: /cannot be read/,
    make: answering(socket => socket.end(`hookline-guard 1 ${HOST} 0x10\n${ALLOW}`)),
  },
};

function answering(answer: Answer): (place: GuardPlace) => Promise<() => void> {
  return async place => {
    const host = await FakeHost.open(place, answer);
    return () => host.close();
  };
}

for (const kind of CLIENT_KINDS) {
  describe(`the ${kind} client`, () => {
    it('prints the answer of the host, and nothing where it has none', async () => {
      const place = await newGuardPlace();
      const answers = ['', '{}', '{"a":[{"b":"}\\"{"},[]],"c":{"ü":"[\\\\"}}', ALLOW];
      for (const output of answers) {
        const host = await FakeHost.open(place, says(output));
        const run = await runClient(place, { kind });
        host.close();
        assert.deepEqual(run, { stdout: output === '' ? '' : `${output}\n`, code: 0 });
      }
    });

    for (const [failure, { why, make }] of Object.entries(FAILURES)) {
      it(`refuses in the agent's form when ${failure}`, async () => {
        const place = await newGuardPlace();
        for (const [index, event] of GATES.entries()) {
          const close = await make(place);
          const run = await runClient(place, { kind, event, agent: ALIKE[index % ALIKE.length]! });
          close();
          assert.equal(run.code, 0);
          assert.match(refusalIn(run.stdout, event) ?? '', why, event);
          assert.match(refusalIn(run.stdout, event) ?? '', /hookline guard status/);
        }
        const close = await make(place);
        assert.deepEqual(await runClient(place, { kind, event: 'SessionEnd' }), { stdout: '', code: 0 });
        close();
      });
    }

    for (const contract of CONTRACTS) {
      const { id: agent, events } = contract;
      it(`refuses each event of ${contract.name} as the host does`, async () => {
        const place = await newGuardPlace();
        for (const { name: event, gates } of events) {
          const { stdout } = await runClient(place, { kind, agent, event });
          const reason = refusalIn(stdout, event) ?? '';
          assert.equal(stdout.trim(), contract.refuse(event, reason), event);
          if (gates) assert.match(reason, /Hookline could not check this/, event);
        }
      });
    }

    it('refuses when no answer comes in time, whether the host or the agent is silent', async () => {
      const place = await newGuardPlace();
      const path = kind === 'bash' ? place.client : place.nodeClient;
      const text = readFileSync(path, 'utf8')
        .replace('LIMIT=3500 ', 'LIMIT=1 ')
        .replace(' LIMIT_MS = 3_500_000', ' LIMIT_MS = 1_000');
      writeFileSync(path, text);
      const host = await FakeHost.open(place, () => undefined);
      const run = await runClient(place, { kind });
      host.close();
      assert.match(refusalIn(run.stdout) ?? '', /no answer came in time/);
      assert.equal(run.code, 0);
      const [file, args] = kind === 'bash' ? ['bash', ['-p', path]] : [process.execPath, [path]];
      const silent = spawn(file, [...args, 'claude', 'PreToolUse']);
      let stdout = '';
      silent.stdout.on('data', chunk => (stdout += String(chunk)));
      await once(silent, 'close');
      assert.match(refusalIn(stdout) ?? '', /no answer came in time/);
    });

    it('gives up before an agent does that waits less than an hour', async () => {
      const place = await newGuardPlace();
      const text = readFileSync(kind === 'bash' ? place.client : place.nodeClient, 'utf8');
      for (const { id, waitS } of ALL_SETUPS) {
        const limit =
          kind === 'bash' ? new RegExp(`^  ${id}\\) LIMIT=(\\d+) ;;$`, 'm') : new RegExp(`\\b${id}: (\\d+)_000\\b`);
        const given = limit.exec(text)?.[1];
        assert.equal(given, waitS === undefined ? undefined : `${waitS - 5}`, id);
      }
    });

    it('refuses when it is ended before there is an answer', async () => {
      const place = await newGuardPlace();
      const waiting: (() => void)[] = [];
      const asked = new Promise<void>(resolve => waiting.push(resolve));
      const host = await FakeHost.open(place, () => waiting[0]!());
      const [file, args] = kind === 'bash' ? ['bash', ['-p', place.client]] : [process.execPath, [place.nodeClient]];
      const child = spawn(file, [...args, 'claude', 'PreToolUse']);
      let stdout = '';
      child.stdout.on('data', chunk => (stdout += String(chunk)));
      child.stdin.end('{}');
      await asked;
      child.kill('SIGTERM');
      const [code] = (await once(child, 'close')) as [number];
      host.close();
      assert.match(refusalIn(stdout) ?? '', /ended before there was an answer/);
      assert.equal(code, 0);
    });

    it('ends with exit code 2, by which Claude Code and Copilot block, when its answer cannot be written', async () => {
      const place = await newGuardPlace();
      const codeWhenUnread = async (): Promise<number> => {
        const [file, args] = kind === 'bash' ? ['bash', ['-p', place.client]] : [process.execPath, [place.nodeClient]];
        const child = spawn(file, [...args, 'copilot', 'PreToolUse']);
        child.stdout.destroy();
        await once(child.stdout, 'close');
        child.stdin.end('{}');
        const [code] = (await once(child, 'exit')) as [number];
        return code;
      };
      assert.equal(await codeWhenUnread(), 2, 'a refusal of the client');
      for (const [output, code] of [
        [ALLOW, 2],
        ['', 0],
      ] as const) {
        const host = await FakeHost.open(place, says(output));
        assert.equal(await codeWhenUnread(), code, output);
        host.close();
      }
    });

    it('sends what the agent wrote as it is: much of it, line breaks of Windows, letters of all kinds', async () => {
      const place = await newGuardPlace();
      const much = JSON.stringify({ text: 'x'.repeat(1024 * 1024) });
      const payloads = [much, '{"a":1}\r\n\r\n', '{"a":"\u00fc\u4e2d\u{1f600}\u0001\u007f"}\n\n', ''];
      for (const payload of payloads) {
        const host = await FakeHost.open(place, says(ALLOW));
        const { stdout } = await runClient(place, { kind, payload });
        host.close();
        assert.equal(stdout, `${ALLOW}\n`);
        const request = host.requests[0]!;
        assert.ok(request.subarray(request.indexOf('\n\n') + 2).equals(Buffer.from(payload)));
      }
    });

    it('sends no part of a payload that has a NUL byte as if it were all', async () => {
      const place = await newGuardPlace();
      const host = await FakeHost.open(place, says(ALLOW));
      await runClient(place, { kind, payload: Buffer.from('{"a":1,\0"b":2}') });
      host.close();
      for (const request of host.requests) assert.match(request.toString(), /"a":1,\0?"b":2\}$/);
    });

    it('keeps values with line breaks in one line of the head', async () => {
      const place = await newGuardPlace();
      const host = await FakeHost.open(place, says(ALLOW));
      await runClient(place, {
        kind,
        env: { CLAUDE_PROJECT_DIR: '/a\nsecret x\\n', CLAUDE_CODE_SESSION_ATTENDED: '0' },
      });
      host.close();
      const lines = host.requests[0]!.toString().split('\n');
      assert.ok(lines.includes(String.raw`var CLAUDE_PROJECT_DIR /a\nsecret x\\n`));
      assert.ok(lines.includes('var CLAUDE_CODE_SESSION_ATTENDED 0'));
      assert.equal(lines.filter(line => line.startsWith('secret ')).length, 1);
    });

    // Node itself runs no module from a folder with a backslash in its name.
    it('works in a folder with spaces, quotes and other letters', async () => {
      const place = await newGuardPlace(`a 'b' "c" ü $(d)${kind === 'bash' ? ' \\n' : ''}`);
      const host = await FakeHost.open(place, says(ALLOW));
      const { stdout } = await runClient(place, { kind });
      host.close();
      assert.equal(stdout, `${ALLOW}\n`);
    });

    it('trusts no endpoint that is a link', async () => {
      const place = await newGuardPlace();
      const other = await newGuardPlace();
      const host = await FakeHost.open(other, says(ALLOW));
      symlinkSync(other.endpoint, place.endpoint);
      const { stdout } = await runClient(place, { kind });
      host.close();
      assert.notEqual(refusalIn(stdout), undefined);
      assert.deepEqual(host.requests, []);
    });

    it('starts the host once for many calls', async () => {
      const place = await newGuardPlace();
      const cli = join(place.folder, 'cli.mjs');
      const started = join(place.folder, 'started');
      writeFileSync(
        cli,
        `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(started)}, process.argv.slice(2).join(' ') + process.env.ELECTRON_RUN_AS_NODE + '\\n');`,
      );
      await writeProgram(place, { node: process.execPath, cli, variables: {} });
      const calls = Array.from({ length: 10 }, () => runClient(place, { kind }));
      while (!existsSync(started)) await new Promise(resolve => setTimeout(resolve, 10));
      const host = await FakeHost.open(place, says(ALLOW));
      const runs = await Promise.all(calls);
      host.close();
      assert.equal(readFileSync(started, 'utf8'), 'guard start1\n');
      assert.deepEqual(new Set(runs.map(({ stdout }) => stdout)), new Set([`${ALLOW}\n`]));
      assert.equal(existsSync(join(place.folder, 'starting')), false);
    });

    it('starts the host with the places of its user, and with no code that a repository names', async () => {
      const place = await newGuardPlace();
      const cli = join(place.folder, 'cli.mjs');
      const seen = join(place.folder, 'seen');
      writeFileSync(
        cli,
        `import { renameSync, writeFileSync } from 'node:fs'; const file = ${JSON.stringify(seen)};
        writeFileSync(file + '.tmp', JSON.stringify(process.env)); renameSync(file + '.tmp', file);`,
      );
      const user = { HOME: '/home/me', PATH: '/home/me/my bin:/usr/bin:/bin', PI_CODING_AGENT_DIR: '/home/me/pi' };
      await writeProgram(place, programOf({ node: process.execPath, cli }, user, user.PI_CODING_AGENT_DIR));
      const foreign = { HOME: '/r', XDG_STATE_HOME: '/r', XDG_CACHE_HOME: '/r', PI_CODING_AGENT_DIR: '/r' };
      const code = { NODE_PATH: '/r', ...(kind === 'bash' ? { NODE_OPTIONS: '--require /r/none.js' } : {}) };
      const running = runClient(place, { kind, env: { ...foreign, ...code, OTHER: 'kept' } });
      while (!existsSync(seen)) await new Promise(resolve => setTimeout(resolve, 10));
      const host = await FakeHost.open(place, says(ALLOW));
      assert.equal((await running).stdout, `${ALLOW}\n`);
      host.close();
      const env = JSON.parse(readFileSync(seen, 'utf8')) as NodeJS.ProcessEnv;
      assert.deepEqual(
        Object.entries({ ...user, OTHER: 'kept' }).filter(([name, value]) => env[name] !== value),
        [],
      );
      const unset = ['XDG_STATE_HOME', 'XDG_CACHE_HOME', ...Object.keys(code)];
      assert.deepEqual(
        unset.filter(name => env[name] !== undefined),
        [],
      );
    });

    it('refuses when the host does not start, and the next call tries again', async () => {
      const place = await newGuardPlace();
      const cli = join(place.folder, 'cli.mjs');
      writeFileSync(cli, 'process.exitCode = 1;');
      await writeProgram(place, { node: process.execPath, cli, variables: {} });
      writeFileSync(join(place.folder, 'starting'), `${process.pid}\n`); // A process that lives, but starts no host.
      const { stdout } = await runClient(place, { kind });
      assert.match(refusalIn(stdout) ?? '', /within 3 seconds/);
      assert.equal(existsSync(join(place.folder, 'starting')), false);
    });
  });
}

describe('the bash client', () => {
  it('refuses where bash has no /dev/tcp', async () => {
    const place = await newGuardPlace();
    writeFileSync(place.client, readFileSync(place.client, 'utf8').replace('/dev/tcp/', '/dev/no-tcp/'));
    const host = await FakeHost.open(place, says(ALLOW));
    const { stdout } = await runClient(place);
    host.close();
    assert.notEqual(refusalIn(stdout), undefined);
  });

  it('is not changed by functions, options and start files that the agent was given', async () => {
    const place = await newGuardPlace();
    const startFile = join(place.folder, 'start');
    writeFileSync(startFile, 'echo "{}"; exit 0');
    const env = {
      BASH_ENV: startFile,
      SHELLOPTS: 'noexec',
      'BASH_FUNC_printf%%': '() { exit 0; }',
      POSIXLY_CORRECT: '1',
    };
    const { stdout } = await runClient(place, { env });
    assert.notEqual(refusalIn(stdout), undefined);
  });

  it('gives a real answer or a denial, whenever the host is killed', async function () {
    this.timeout(0);
    const place = await newGuardPlace();
    const script = join(mkdtempSync(join(tmpdir(), 'killed-host-')), 'host.mjs');
    writeFileSync(
      script,
      `import { createServer } from 'node:net';
      const answer = Buffer.from('hookline-guard 1 ${HOST} ${ALLOW.length}\\n${ALLOW}');
      createServer(async socket => {
        socket.on('error', () => {});
        for (const byte of answer) { socket.write(Buffer.of(byte)); await new Promise(setImmediate); }
        socket.end();
      }).listen(0, '127.0.0.1', function () { process.send(this.address().port); });`,
    );
    const outcomes = { real: 0, denied: 0 };
    for (let round = 0; round < rounds(30, 200); round += 1) {
      const host = spawn(process.execPath, [script], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
      const [port] = (await once(host, 'message')) as [number];
      await writeEndpoint(place, { port, client: CLIENT, host: HOST, pid: host.pid!, socket: '/s', version: '1' });
      const running = runClient(place);
      const ended = once(host, 'exit');
      setTimeout(() => host.kill('SIGKILL'), (round * 7) % 31);
      const { stdout, code } = await running;
      await ended;
      assert.equal(code, 0);
      if (stdout === `${ALLOW}\n`) outcomes.real += 1;
      else if (refusalIn(stdout) !== undefined) outcomes.denied += 1;
      else assert.fail(`round ${round}: ${JSON.stringify(stdout)}`);
    }
    assert.ok(outcomes.denied > 0, JSON.stringify(outcomes));
  });
});

describe('installing the clients', () => {
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

  it('makes a folder and programs that only their owner can use', async () => {
    const { folder, client, nodeClient, program } = await newGuardPlace();
    assert.deepEqual([folder, client, nodeClient, program].map(modeOf), ['700', '700', '700', '600']);
  });

  it('writes only what differs', async () => {
    const place = await newGuardPlace();
    const program = { node: process.execPath, cli: '/missing/cli.js', variables: {} };
    const inodes = (): number[] => [place.client, place.nodeClient, place.program].map(path => statSync(path).ino);
    const before = inodes();
    await installClient(place, OWN_CODE, program);
    assert.deepEqual(inodes(), before);
    writeFileSync(place.client, 'exit 0');
    chmodSync(place.nodeClient, 0o600);
    await installClient(place, OWN_CODE, { ...program, cli: '/other/cli.js' });
    assert.match(readFileSync(place.client, 'utf8'), /^#!\/bin\/bash\n# Hookline's client/);
    assert.equal(modeOf(place.nodeClient), '700');
    assert.match(readFileSync(place.program, 'utf8'), /^cli \/other\/cli\.js$/m);
    assert.deepEqual(readdirSync(place.folder).sort(), ['client.mjs', 'client.sh', 'program', 'tools.mjs', 'tools.sh']);
    rmSync(place.folder, { recursive: true });
  });
});
