import assert from 'node:assert/strict';
import { AcpEditor } from './support/acp';
import { eachWithModel } from './support/each-with-model';
import { RpcHost } from './support/rpc';

/** The ways of a hook to the streams of the process; each prints its name. */
const WAYS = {
  execSync: `cp.execSync('cat; echo execSync', { stdio: 'inherit' });`,
  execFileSync: `cp.execFileSync('sh', ['-c', 'cat; echo execFileSync'], { stdio: ['inherit', 'inherit', 'inherit'] });`,
  spawnSync: `cp.spawnSync('sh', ['-c', 'cat; echo spawnSync'], { stdio: [0, 1, 2] });`,
  spawn: `await ended(cp.spawn('sh', ['-c', 'cat; echo spawn'], { stdio: 'inherit' }));`,
  streams: `await ended(cp.spawn('sh', ['-c', 'cat; echo streams'], { stdio: [process.stdin, process.stdout, process.stderr] }));`,
  fork: `await ended(cp.fork('forked.cjs'));`,
  writeSync: `fs.writeSync(1, 'writeSync\\n');`,
  write: `await new Promise(done => fs.write(1, 'write\\n', done));`,
  writeFileSync: `fs.writeFileSync(1, 'writeFileSync\\n');`,
  stream: `await new Promise(done => fs.createWriteStream('', { fd: 1 }).end('stream\\n', done));`,
  again: `fs.writeSync(1, 'again\\n');`,
  log: `console.log('log');`,
  read: `fs.writeSync(2, 'read ' + fs.readFileSync(0, 'utf8').length + fs.readSync(0, Buffer.alloc(9)) + '\\n');`,
  piped: `for await (const chunk of process.stdin) fs.writeSync(2, 'got ' + chunk); fs.writeSync(2, 'piped\\n');`,
} as const;

describe('what a hook does with stdin and stdout', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();
  beforeEach(() => {
    place.file('work/forked.cjs', `process.stdout.write('fork\\n');\n`);
    place.file(
      'work/.pi/extensions/noisy.ts',
      `import * as cp from 'node:child_process';
       import * as fs from 'node:fs';
       const ended = child => new Promise(done => child.on('exit', done));
       export default pi => { pi.on('session_start', async () => {
         ${Object.values(WAYS).join('\n         ')}
       }); };\n`,
    );
  });

  const saysAll = (stderr: string): void => {
    for (const name of Object.keys(WAYS)) assert.match(stderr, new RegExp(`^${name}( 00)?$`, 'm'));
    assert.doesNotMatch(stderr, /get_state|^got /m);
  };

  it('stays out of the protocol of RPC mode, and takes no command of the client', async function () {
    if (process.platform === 'win32') return this.skip();
    const host = RpcHost.start(place);
    const asked = Array.from({ length: 20 }, () => host.ask('get_state'));
    for (const response of await Promise.all(asked)) assert.equal(response['success'], true);
    const { code, stderr } = await host.close();
    assert.deepEqual([code, host.rubbish], [0, []]);
    saysAll(stderr);
  });

  it('stays out of the protocol of ACP mode, also while it loads and later', async function () {
    if (process.platform === 'win32') return this.skip();
    place.hook(
      'timer.ts',
      `import { writeSync } from 'node:fs';
       console.log('while it loads');
       writeSync(1, 'at once');
       export default () => { setInterval(() => { console.log('later'); process.stdout.write('half a line '); }, 5); };\n`,
    );
    llm.reply({ text: 'done' });
    const editor = await AcpEditor.open(place);
    const sessionId = await editor.create();
    assert.equal(await editor.prompt(sessionId, 'hi'), 'end_turn');
    const { stderr } = await editor.end();
    for (const name of Object.keys(WAYS)) assert.match(stderr, new RegExp(`\\b${name}\\b`));
    for (const text of ['while it loads', 'at once', 'later', 'half a line']) assert.ok(stderr.includes(text), text);
    assert.doesNotMatch(stderr, /session\/new|got /);
  });

  it('stays out of the lines of JSON mode', async function () {
    if (process.platform === 'win32') return this.skip();
    llm.reply({ text: 'done' });
    const { code, stdout, stderr } = await place.run(['--mode', 'json', 'hi']);
    assert.equal(code, 0);
    for (const line of stdout.trimEnd().split('\n')) assert.doesNotThrow(() => JSON.parse(line), line);
    saysAll(stderr);
  });
});
