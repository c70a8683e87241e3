import assert from 'node:assert/strict';
import { AcpEditor } from './support/acp';
import { until } from './support/cli';
import { eachWithModel } from './support/each-with-model';

/** By what is told about the hook. */
const LOADS: readonly (readonly [told: string, text: string])[] = [
  [
    'replaces Array.prototype.map,',
    'export default () => { Array.prototype.map = () => { throw new Error("broken"); }; };',
  ],
  [
    'replaces Array.prototype.map,',
    'Array.prototype.map = () => { throw new Error("broken"); };\nexport default () => {};',
  ],
  ['adds Object.prototype.extra,', 'export default () => { Object.prototype.extra = 1; };'],
  ['adds Object.prototype.extra,', 'Object.prototype.extra = 1;\nexport default () => {};'],
];

const NAMES = ['Promise', 'Object', 'process', 'setTimeout'];

describe('a run whose hook deletes a global', function () {
  this.timeout(60_000);
  const { place, llm } = eachWithModel();

  for (const name of NAMES) {
    it(`goes on after the handler: ${name}`, async () => {
      place.hook('odd.ts', `export default pi => pi.on('agent_start', () => { delete globalThis.${name}; });`);
      llm.reply({ text: 'an answer' });
      const { code, stdout, stderr } = await place.run(['-p', 'go']);
      assert.deepEqual([code, stdout], [0, 'an answer\n'], stderr);
    });
  }

  for (const name of NAMES) {
    it(`ends, also by a signal, if the code of a timer did it: ${name}`, async () => {
      place.hook(
        'odd.ts',
        `export default pi => pi.on('agent_start', () => {
          setTimeout(() => { delete globalThis.${name}; console.error('deleted'); }, 1);
        });`,
      );
      llm.hold({ text: 'an answer' });
      const child = place.start(['-p', 'go']);
      const exit = new Promise(resolve => child.once('exit', (code, signal) => resolve(signal ?? typeof code)));
      let said = '';
      child.stderr.on('data', (chunk: Buffer) => {
        said += String(chunk);
        if (said.includes('deleted')) child.kill('SIGTERM');
      });
      child.stdin.end();
      assert.equal(await exit, 'number', said);
    });
  }

  for (const name of [...NAMES, 'AbortController', 'Map']) {
    it(`goes on for an editor, and ends with it, if the code of a timer did it: ${name}`, async () => {
      place.hook(
        'odd.ts',
        `export default pi => pi.on('session_start', () => {
          setTimeout(() => { delete globalThis.${name}; console.error('deleted'); }, 1);
        });`,
      );
      llm.otherwise(() => ({ text: 'an answer' }));
      const editor = await AcpEditor.open(place);
      const sessionId = await editor.create();
      await until(() => editor.stderr.includes('deleted'), 'the timer');
      assert.equal(await editor.prompt(sessionId, 'go'), 'end_turn');
      await editor.end();
    });
  }
});

describe('a run whose hook replaces functions of the language while it loads', function () {
  this.timeout(60_000);
  const { place, llm } = eachWithModel();

  for (const [told, text] of LOADS) {
    it(`goes on and names the hook: ${text.replace(/\n[^]*/, '')}`, async () => {
      place.hook('bad.ts', text);
      place.hook('good.ts', "export default pi => pi.on('agent_start', () => console.error('the other hook runs'));");
      llm.reply({ text: 'an answer' });
      const { code, stdout, stderr } = await place.run(['-p', 'go']);
      assert.deepEqual([code, stdout], [0, 'an answer\n'], stderr);
      assert.match(stderr, /bad\.ts" was not loaded: /);
      assert.ok(stderr.includes(told), stderr);
      assert.match(stderr, /the other hook runs/);
    });
  }
});
