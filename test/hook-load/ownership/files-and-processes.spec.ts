import assert from 'node:assert/strict';
import { existsSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { until } from '../support/loading';
import { withOptions } from '../../../src/hook-load/ownership/processes';
import { isMark, newMark, withMark } from '../../../src/base/ending/mark';
import { RunningHook } from './support';
import { itOnPosix } from '../../support/platform';

/** Resolves when a watcher of the test's own saw a change: one that still lived would have seen it too. */
async function controlWatcherSees(file: string): Promise<void> {
  let seen = false;
  const watcher = watch(file, () => (seen = true));
  let text = 0;
  await until('the control watcher', () => {
    writeFileSync(file, 'y'.repeat(++text % 9));
    return seen;
  });
  watcher.close();
}

describe('files, processes and threads of a hook', () => {
  let hook: RunningHook;
  const given = (text: string, more: Readonly<Record<string, string>> = {}): void => {
    hook = new RunningHook({ 'h.ts': text, ...more });
  };
  const path = (name: string): string => hook.loading.files.path(name);
  afterEach(() => hook.loading.end());

  const alive = (pid: number): boolean => {
    try {
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  };

  const WATCHES: Readonly<Record<string, string>> = {
    'fs.watch':
      'import * as fs from "node:fs"; const start = (file: string, on: () => void) => { fs.watch(file, on); };',
    'a named watch':
      'import { watch } from "fs"; const start = (file: string, on: () => void) => { watch(file, {}, on); };',
    'fs.watchFile':
      'import fs from "fs"; const start = (file: string, on: () => void) => { fs.watchFile(file, { interval: 5 }, on); };',
    'fs.promises.watch':
      'import { promises } from "node:fs"; const start = async (file: string, on: () => void) => { for await (const _ of promises.watch(file)) on(); };',
    'fs/promises':
      'import { watch } from "node:fs/promises"; const start = async (file: string, on: () => void) => { for await (const _ of watch(file)) on(); };',
  };
  for (const [way, imports] of Object.entries(WATCHES)) {
    it(`${way} ends with it`, async () => {
      given(`${imports} export default ([file, on]: [string, () => void]) => { void start(file, on); };`, { x: '0' });
      let seen = 0;
      await hook.run([path('x'), () => seen++]);
      let text = 0;
      await until('an event', () => {
        writeFileSync(path('x'), `${++text} and more`.repeat(text % 7));
        return seen > 0;
      });
      await hook.scope.release();
      assert.deepEqual(hook.scope.open, []);
      const before = seen;
      writeFileSync(path('x'), 'after');
      await controlWatcherSees(path('x'));
      assert.equal(seen, before);
      assert.deepEqual(hook.reports, []);
    });
  }

  it('watchers whose listener throws are reported; unwatchFile takes only the own ones', async () => {
    given(
      `import fs from "node:fs"; export default ([file, on]: [string, () => void]) => {
        fs.watch(file, () => { throw new Error("in watch"); }); fs.watchFile(file, { interval: 5 }, on);
        return () => fs.unwatchFile(file); };`,
      { x: '0' },
    );
    const fs = await import('node:fs');
    let others = 0;
    const other = (): number => others++;
    const stop = await hook.run<() => void>([path('x'), () => undefined]);
    fs.watchFile(path('x'), { interval: 5 }, other);
    stop();
    let text = 0;
    await until('the report and the other listener', () => {
      writeFileSync(path('x'), 'x'.repeat(++text % 50));
      return hook.reports.length > 0 && others > 0;
    });
    assert.equal(hook.reports[0], `watcher of ${path('x')}, on "change": in watch`);
    fs.unwatchFile(path('x'), other);
  });

  it('streams are closed, and what was written is on the disk', async () => {
    given(
      `import fs, { createWriteStream, WriteStream } from "node:fs"; import { open } from "node:fs/promises";
      export default async (file: string) => { const log = createWriteStream(file); log.write("written");
        const input = fs.createReadStream("/dev/zero"); input.pause(); const handle = await open(file + ".2", "w");
        return { log, input, handle, instance: log instanceof WriteStream }; };`,
    );
    const opened = await hook.run<{
      log: { closed: boolean };
      input: { closed: boolean };
      handle: { fd: number };
      instance: boolean;
    }>(path('log'));
    assert.equal(hook.scope.size, 3);
    await hook.scope.release();
    assert.deepEqual(
      [opened.log.closed, opened.input.closed, opened.handle.fd, opened.instance],
      [true, true, -1, true],
    );
    assert.equal(readFileSync(path('log'), 'utf8'), 'written');
  });

  it('a stream error that nobody listens to is reported', async () => {
    given('import fs from "node:fs"; export default (file: string) => { fs.createReadStream(file); };');
    await hook.run(path('gone'));
    await until('the report', () => hook.reports.length > 0);
    assert.match(hook.reports[0]!, /^read stream of .*gone: ENOENT/);
  });

  itOnPosix('child processes end with all they started, even if they refuse or were left behind', async () => {
    given(
      `import { spawn, exec, execFile, fork } from "node:child_process"; import { promisify } from "node:util";
      export default (dir: string) => {
        const sh = (name: string, text: string) => ["-c", "echo $$ > " + name + ".pid; " + text];
        const cwd = { cwd: dir };
        spawn("sh", sh("spawn", "sh -c 'echo $$ > deep.pid; sleep 100' & sleep 100"), cwd);
        spawn("sh", sh("stubborn", "trap '' TERM; while :; do sleep 0.05; done"), cwd);
        exec("echo $$ > exec.pid; sleep 100", cwd, () => {});
        execFile("sh", sh("file", "sleep 100"), cwd, () => {});
        void promisify(exec)("echo $$ > promised.pid; sleep 100", cwd).catch(() => {});
        spawn("sh", ["-c", "(setsid sh -c 'echo $$ > orphan.pid; sleep 100' &) ; exit 0"], { ...cwd, stdio: "ignore" });
        fork(dir + "/f.cjs", cwd);
        spawn("env", ["-i", "sh", ...sh("cleared", "sleep 100")], cwd);
        const stop = new AbortController();
        spawn("sh", sh("aborted", "trap '' TERM; sleep 100; :"), { ...cwd, detached: true, signal: stop.signal }).on("error", () => {});
        setTimeout(() => stop.abort(), 300);
        const mute = fork(dir + "/g.cjs", { ...cwd, detached: true }); mute.on("error", () => {});
        mute.once("spawn", () => { mute.disconnect(); mute.send("x"); });
      };`,
      {
        'f.cjs': 'require("fs").writeFileSync("fork.pid", String(process.pid)); setInterval(() => {}, 1000);',
        'g.cjs': 'require("fs").writeFileSync("mute.pid", String(process.pid)); setInterval(() => {}, 1000);',
      },
    );
    await hook.run(hook.loading.files.root);
    const names = [
      'spawn',
      'deep',
      'stubborn',
      'exec',
      'file',
      'promised',
      'orphan',
      'fork',
      'cleared',
      'aborted',
      'mute',
    ];
    const pidOf = (name: string): number =>
      existsSync(path(`${name}.pid`)) ? Number(readFileSync(path(`${name}.pid`), 'utf8')) : 0;
    await until('all processes', () => names.every(name => pidOf(name) > 0 && alive(pidOf(name))));
    await hook.scope.release();
    assert.deepEqual(
      names.filter(name => alive(pidOf(name))),
      [],
    );
    assert.deepEqual(hook.reports, []);
  });

  itOnPosix('a program that is started again whenever it ends does not outlive the release', async () => {
    given(`import { spawn, execSync } from "node:child_process";
      export default (seen: { starts: number, left: string }) => {
        const start = () => { seen.starts++; spawn("sleep", ["100"]).on("exit", start); };
        start();
        return () => { execSync("sleep 100 > /dev/null 2>&1 & echo $! > " + seen.left); };
      };`);
    const seen = { starts: 0, left: path('left.pid') };
    const later = await hook.run<() => void>(seen);
    await hook.scope.release();
    await until('the refused start', () => hook.reports.length > 0);
    assert.match(
      hook.reports[0]!,
      /^child process sleep, on "exit": .*h\.ts was reloaded or has ended, so it cannot start programs/,
    );
    assert.deepEqual([seen.starts, hook.reports.length, hook.scope.open], [2, 1, []]);
    later();
    const left = Number(readFileSync(seen.left, 'utf8'));
    await until('what a later command left to end', () => !alive(left));
  });

  it('a listener that throws at the end of the process is reported', async () => {
    given(`export default () => { const late = () => { throw new Error("too late"); };
      process.on("exit", late); process.on("exit", late); process.off("exit", late); };`);
    const before = process.listenerCount('exit');
    await hook.run();
    assert.equal(process.listenerCount('exit'), before + 1);
    const [listener] = process.listeners('exit').slice(-1);
    (listener as unknown as (code: number) => void)(0);
    assert.deepEqual(hook.reports, ['listener for process "exit": too late']);
    await hook.scope.release();
    assert.equal(process.listenerCount('exit'), before);
  });

  itOnPosix(
    'detached child processes that the hook does not wait for live on, with all they started; the others end',
    async () => {
      given(
        `import { spawn, fork } from "node:child_process";
      export default (dir: string) => {
        const start = (name: string, more: object) =>
          spawn("sh", ["-c", "echo $$ > " + name + ".pid; (setsid sh -c 'echo $$ > " + name + "-below.pid; sleep 100' &); sleep 100"],
            { cwd: dir, stdio: "ignore", ...more });
        start("apart", { detached: true }).unref();
        start("waited", { detached: true });
        start("attached", {}).unref();
        const again = start("again", { detached: true }); again.unref(); again.ref();
        fork(dir + "/f.cjs", { cwd: dir, detached: true, stdio: "ignore" }).unref();
      };`,
        { 'f.cjs': 'require("fs").writeFileSync("fork.pid", String(process.pid)); setInterval(() => {}, 1000);' },
      );
      await hook.run(hook.loading.files.root);
      const pairs = ['apart', 'waited', 'attached', 'again'].flatMap(name => [name, `${name}-below`]);
      const names = [...pairs, 'fork'];
      const pidOf = (name: string): number =>
        existsSync(path(`${name}.pid`)) ? Number(readFileSync(path(`${name}.pid`), 'utf8')) : 0;
      await until('all processes', () => names.every(name => pidOf(name) > 0 && alive(pidOf(name))));
      const left = ['apart', 'apart-below', 'fork'];
      try {
        assert.equal(hook.scope.size, 4, 'three children and what runs in the background');
        await hook.scope.release();
        assert.deepEqual(
          names.filter(name => alive(pidOf(name))),
          left,
        );
        assert.deepEqual(hook.reports, []);
      } finally {
        for (const name of left) process.kill(pidOf(name), 'SIGKILL');
      }
    },
  );

  itOnPosix(
    'a detached child process has none of the marks by which its host, or one around it, ends processes',
    async () => {
      given(`import { spawn } from "node:child_process";
      const env = (options: object) => new Promise(resolve => {
        let text = ""; const child = spawn("env", { stdio: ["ignore", "pipe", "ignore"], ...options });
        child.stdout.on("data", chunk => text += chunk); child.on("close", () => resolve(text)); });
      export default (all: object[]) => Promise.all(all.map(env));`);
      const outer = newMark();
      const env = { PATH: process.env['PATH'], KEPT: 'yes', ...withMark(outer) };
      const marksIn = (text: string): readonly string[] =>
        text
          .split('\n')
          .flatMap(line => line.split('=').slice(0, 1))
          .filter(isMark);
      const options = [{ env }, { env, detached: true }, { env, detached: true }];
      const [attached = '', detached = '', again = ''] = await hook.run<readonly string[]>(options);
      assert.equal(marksIn(attached).length, 3, 'one of the host around, one of the hook, one of its own');
      assert.ok(marksIn(attached).includes(outer) && /^KEPT=yes$/m.test(detached));
      assert.equal(marksIn(detached).length, 1);
      assert.ok(!marksIn(attached).includes(marksIn(detached)[0]!));
      assert.notDeepEqual(marksIn(detached), marksIn(again));
    },
  );

  itOnPosix('child processes work as before: output, codes, promisify, sync', async () => {
    given(`import cp, { execSync } from "node:child_process"; import { promisify } from "node:util";
      const run = promisify(cp.exec); const file = promisify(cp.execFile);
      export default async () => {
        const { stdout } = await run("echo out; echo err >&2"); const failed = await run("exit 3").catch(error => error.code);
        const env = await file("sh", ["-c", "echo $MINE"], { env: { MINE: "yes", PATH: process.env.PATH } });
        const child = cp.spawn("sh", ["-c", "cat; exit 4"]); child.stdin.end("piped"); let text = "";
        child.stdout.on("data", chunk => text += chunk);
        const code = await new Promise(resolve => child.on("close", resolve));
        return [stdout, failed, env.stdout, text, code, execSync("echo sync").toString(), child instanceof cp.ChildProcess,
          run("true").child.pid > 0];
      };`);
    assert.deepEqual(await hook.run(), ['out\n', 3, 'yes\n', 'piped', 4, 'sync\n', true, true]);
  });

  it('a command that does not exist is reported, as are callbacks that throw', async () => {
    given(`import { spawn, exec } from "node:child_process";
      export default () => { spawn("no-such-command"); exec("true", () => { throw new Error("in callback"); }); };`);
    await hook.run();
    await until('both reports', () => hook.reports.length === 2);
    assert.deepEqual(hook.reports.sort(), [
      'callback of a child process: in callback',
      'child process no-such-command: spawn no-such-command ENOENT',
    ]);
  });

  it('worker threads and channels are closed', async () => {
    given(`import { Worker, MessageChannel, BroadcastChannel } from "node:worker_threads";
      export default () => new Promise(resolve => { const w = new Worker("setInterval(() => {}, 1000)", { eval: true });
        new MessageChannel().port1.ref(); new BroadcastChannel("x"); w.on("online", () => resolve(w)); });`);
    const worker = await hook.run<{ threadId: number }>();
    assert.equal(hook.scope.size, 3);
    await hook.scope.release();
    assert.equal(worker.threadId, -1);
  });

  it('listeners on process are removed, by whatever way they came', async () => {
    const count = (): number => process.listenerCount('SIGUSR2');
    const before = count();
    given(`import imported from "node:process"; const required = require("process");
      export default () => { process.on("SIGUSR2", () => {}); imported.once("SIGUSR2", () => {}); required.addListener("SIGUSR2", () => {});
        const gone = () => {}; process.on("SIGUSR2", gone).off("SIGUSR2", gone);
        return [process.pid, process.platform, typeof process.hrtime.bigint(), process.title, process.env.PATH, process.argv0]; };`);
    assert.deepEqual(await hook.run(), [
      process.pid,
      process.platform,
      'bigint',
      process.title,
      process.env['PATH'],
      process.argv0,
    ]);
    assert.equal(count(), before + 3);
    await hook.scope.release();
    assert.equal(count(), before);
  });
});

describe('withOptions', () => {
  const HOME = { HOME: '/h' };
  const options = { env: HOME };
  const marked = { env: { HOME: '/h', MARK: '1' } };
  const callback = (): void => undefined;
  const mark = (given: { readonly env?: NodeJS.ProcessEnv | null }): object => ({
    ...given,
    env: { ...(given.env ?? process.env), MARK: '1' },
  });

  it('finds the options of every overload', () => {
    assert.deepEqual(withOptions(['x', ['a'], options], mark), ['x', ['a'], marked]);
    assert.deepEqual(withOptions(['x', options, callback], mark), ['x', marked, callback]);
    assert.deepEqual(withOptions(['x', undefined, options], mark), ['x', undefined, marked]);
    const env = { ...process.env, MARK: '1' };
    assert.deepEqual(withOptions(['x'], mark), ['x', { env }]);
    assert.deepEqual(withOptions(['x', ['a'], undefined], mark), ['x', ['a'], { env }]);
    assert.deepEqual(withOptions(['x', ['a'], callback], mark), ['x', ['a'], { env }, callback]);
    assert.deepEqual(withOptions(['x', callback], mark), ['x', { env }, callback]);
  });
});
