import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { explainHook } from '../../src/hook-authoring/explain/explain-hook';
import { babelFrom } from '../../src/hook-load/compile/babel';
import { onlyObserves, type Explanation } from '../../src/hook-authoring/explain/explanation';
import { DIALECTS, exampleHooks } from '../support/example-hooks';

const babel = babelFrom(resolve('node_modules/jiti/dist'));

function explain(text: string, others: Readonly<Record<string, string>> = {}): Explanation {
  const modules = Object.entries(others).map(([name, own]) => ({ file: `/hooks/${name}`, text: own }));
  return explainHook({ info: { path: '/hooks/one.ts' }, text, others: modules, babel });
}

const HOOK = `import { watch, writeFileSync } from 'node:fs';
import * as http from 'http';
import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
import { helper } from './helper';
import pkg from 'left-pad';

export default function one(pi: ExtensionAPI) {
  pi.on('tool_call', async (event, ctx) => {
    if (event.toolName === 'write') event.input.path = 'x';
    if (!(await ctx.ui.confirm('?', '!'))) return { block: true, reason: 'no' };
    return undefined;
  });
  pi.on('session_before_switch', () => ({ cancel: true }));
  for (const name of ['agent_start', 'agent_end'] as const) pi.on(name, () => undefined);
  pi.on(process.env.EVENT!, () => undefined);
  pi.on('turn_end', helper);
  pi.on('session_start', (_event, ctx) => {
    setInterval(() => pi.sendUserMessage('tick'), 1000);
    watch('/tmp', () => writeFileSync('/tmp/a', ''));
    http.createServer(() => undefined).listen(3333);
    void fetch('http://127.0.0.1');
    void pi.exec('git', ['status', name()]);
    ctx.compact();
  });
  pi.registerCommand('stats', { description: 'Show them', handler: async () => undefined });
  pi.registerTool({ name: 'count', label: '', description: 'Counts', parameters: {} as never, execute: async () => ({ content: [], details: {} }) });
  pi.registerShortcut('ctrl+k', { handler: () => undefined });
  eval('1');
  import(name());
}
const name = () => 'x';
`;

describe('explaining a hook', () => {
  it('tells what it sees, and what it may do about it', () => {
    const { handlers, dialect } = explain(HOOK);
    assert.equal(dialect.id, 'ext');
    assert.deepEqual(
      handlers.map(({ event, powers, asks, place }) => [event, place.line, powers.join(), asks.join()]),
      [
        ['tool_call', 8, 'change,block', 'confirm'],
        ['session_before_switch', 13, 'cancel', ''],
        ['agent_start', 14, '', ''],
        ['agent_end', 14, '', ''],
        ['turn_end', 16, '', ''],
        ['session_start', 17, '', ''],
      ],
    );
  });

  it('tells the power of a gate whose verdict is written elsewhere in the file', () => {
    const powers = (code: string): string => {
      const { handlers } = explain(`export default function (pi) {\n${code}\n}\n`);
      return handlers.map(each => [...each.powers, ...each.asks].join()).join('; ');
    };
    assert.equal(powers(`pi.on('tool_call', () => ({ 'block': true }));`), 'block');
    assert.equal(powers(`pi.on('tool_call', e => check(e));\nfunction check() { return { block: true }; }`), 'block');
    assert.equal(powers(`const NO = { block: true };\npi.on('tool_call', () => NO);`), 'block');
    assert.equal(
      powers(`const no = reason => ({ block: true, reason });\npi.on('tool_call', () => no('x'));`),
      'block',
    );
    assert.equal(powers(`pi.on('tool_call', () => { const r = {}; r.block = true; return r; });`), 'block');
    assert.equal(powers(`const check = () => { throw 1; };\npi.on('tool_call', () => check());`), 'block');
    assert.equal(
      powers(`class Gate { no() { return { block: true }; } }\npi.on('tool_call', () => new Gate().no());`),
      'block',
    );
    assert.equal(powers(`pi.on('tool_call', ({ input }) => { input.command = 'x'; });`), 'change');
    assert.equal(powers(`pi.on('tool_call', event => { const { input } = event; delete input.edits[0]; });`), 'change');
    assert.equal(powers(`pi.on('tool_call', event => { Object.assign(event.input, {}); });`), 'change');
    assert.equal(
      powers(`const ask = ui => ui.confirm('?', '');\npi.on('turn_end', (e, { ui }) => ask(ui));`),
      'confirm',
    );
    assert.equal(powers(`const NO = { block: false };\npi.on('tool_call', event => { log(event.input, NO); });`), '');
  });

  it('says that a hook only observes where its text shows it', () => {
    const observes = (code: string): boolean =>
      onlyObserves(explain(`import { check } from './check';\nexport default function (pi) {\n${code}\n}\n`));
    assert.equal(observes(`pi.on('tool_call', event => { console.log(event); });`), true);
    assert.equal(observes(`pi.on('tool_call', gates.call);`), false);
    assert.equal(observes(`pi.on('tool_call', event => check(event));`), false);
    assert.equal(observes(`const gate = event => check(event);\npi.on('tool_call', event => gate(event));`), false);
    assert.equal(observes(`pi.on('tool_call', () => ({ block: true }));`), false);
  });

  it('does not take members that every object has for registrations', () => {
    const { registers } = explain(
      `export default pi => {\n  if (pi.hasOwnProperty('registerTool')) pi.toString();\n};\n`,
    );
    assert.deepEqual(registers, []);
  });

  it('tells what it opens, adds, does and imports', () => {
    const { opens, registers, acts, imports } = explain(HOOK);
    const names = (
      things: readonly { readonly name: string; readonly detail?: string; readonly place: { readonly line: number } }[],
    ): string[] =>
      things.map(({ name, detail, place }) => `${name}${detail === undefined ? '' : ` ${detail}`} ${place.line}`);
    assert.deepEqual(names(opens.timers), ['setInterval 18']);
    assert.deepEqual(names(opens.watchers), ['fs.watch /tmp 19']);
    assert.deepEqual(names(opens.filesWritten), ['fs.writeFileSync /tmp/a 19']);
    assert.deepEqual(names(opens.servers), ['http.createServer 20']);
    assert.deepEqual(names(opens.network), ['fetch http://127.0.0.1 21']);
    assert.deepEqual(names(opens.processes), ['pi.exec git status … 22']);
    assert.deepEqual(names(registers), ['/stats Show them 25', 'count Counts 26', 'ctrl+k 27']);
    assert.deepEqual(names(acts), ['pi.sendUserMessage 18', 'ctx.compact 23']);
    assert.deepEqual(
      imports.map(({ name }) => name),
      ['node:fs', 'http', '@mariozechner/pi-coding-agent', './helper', 'left-pad'],
    );
  });

  it('tells what it opens under another name, and through a module that is loaded later', () => {
    const { opens } = explain(`const { writeFileSync: put, promises: files } = require('fs');
export default async pi => {
  put('/tmp/a', '');
  files.rm('/tmp/a');
  const net = await import('node:net');
  net.connect(1);
  const { spawn: start } = await import('child_process');
  start('ls');
  (await import('http')).get('http://127.0.0.1');
};
`);
    const names = (things: readonly { readonly name: string }[]): string[] => things.map(({ name }) => name);
    assert.deepEqual(names(opens.filesWritten), ['fs.writeFileSync', 'fs.rm']);
    assert.deepEqual(names(opens.network), ['net.connect', 'http.get']);
    assert.deepEqual(names(opens.processes), ['child_process.spawn']);
  });

  it('tells what cannot be known without running it', () => {
    const { unknown } = explain(HOOK);
    assert.deepEqual(
      unknown.map(({ type, place }) => `${type} ${place.line}`),
      ['computedEvent 15', 'handlerElsewhere 16', 'computedImport 29', 'codeFromText 28', 'unread 4', 'package 5'],
    );
  });

  it('reads the modules that the hook imports by path', () => {
    const helper = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
import { spawn } from 'node:child_process';
export function helper(pi: ExtensionAPI) { pi.on('input', event => ({ action: 'handled' })); spawn('ls'); }
`;
    const { handlers, opens, unknown } = explain(HOOK, { 'helper.ts': helper });
    assert.ok(
      handlers.some(
        ({ event, place, powers }) =>
          event === 'input' && place.file === '/hooks/helper.ts' && powers.includes('handle'),
      ),
    );
    assert.ok(opens.processes.some(({ name }) => name === 'child_process.spawn'));
    assert.ok(!unknown.some(({ type }) => type === 'unread'));
  });

  it('tells of a broken file what its lines tell', () => {
    const { handlers, registers, imports, unknown } = explain(`import { x } from 'y';
export default pi => {
  pi.on('tool_call', () => {
  pi.registerCommand('go', {});
`);
    assert.deepEqual(
      handlers.map(({ event, place }) => [event, place.line]),
      [['tool_call', 3]],
    );
    assert.deepEqual(
      registers.map(({ name }) => name),
      ['/go'],
    );
    assert.deepEqual(
      imports.map(({ name }) => name),
      ['y'],
    );
    assert.equal(unknown[0]?.type, 'broken');
    assert.equal(unknown[0].place.line > 1, true);
  });

  it('reads on behind a mistake that leaves the structure clear', () => {
    const { handlers, unknown } = explain(`const a = /x/qq;
export default (pi: any) => { pi.on('tool_call', () => { throw new Error('x'); }); };
`);
    assert.deepEqual(
      handlers.map(({ event, powers }) => [event, ...powers]),
      [['tool_call', 'block']],
    );
    assert.equal(unknown[0]?.type, 'broken');
  });

  it('says when there is no factory', () =>
    assert.deepEqual(
      explain('export const x = 1;\n').unknown.map(({ type }) => type),
      ['noFactory'],
    ));

  for (const dialect of DIALECTS) {
    for (const { name, text } of exampleHooks(dialect)) {
      it(`finds the dialect and every handler of the example ${dialect}/${name}`, () => {
        const explanation = explain(text);
        assert.equal(explanation.dialect.id, dialect, explanation.dialect.because);
        const written = [...text.matchAll(/\bpi\.on\(\s*'([^']+)'/g)].map(match => match[1]);
        assert.deepEqual(
          explanation.handlers.map(({ event }) => event),
          written,
        );
      });
    }
  }
});
