import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { babelFrom } from '../../../src/hook-load/compile/babel';
import type { PackagePreview, PreviewRequest } from '../../../src/package-preview/read/preview';
import { readPackage } from '../../../src/package-preview/read/read-package';
import type { ClaimKind } from '../../../src/packages/approval/claim';

const babel = babelFrom(resolve('node_modules/jiti/dist'));

/** Names of the claims of a kind, with their places: `name @ file:line`. */
function claims({ claims: all }: PackagePreview, kind: ClaimKind): readonly string[] {
  return all
    .filter(claim => claim.kind === kind)
    .map(({ name, places }) => `${name} @ ${places.map(({ file, line }) => `${file}:${line ?? '-'}`).join(' ')}`);
}

describe('preview of a package', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'preview-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
  }

  async function read(
    entries: readonly string[],
    more: Partial<PreviewRequest> & { readonly limits?: { readonly file?: number; readonly total?: number } } = {},
  ): Promise<PackagePreview> {
    const { limits = {}, ...rest } = more;
    const extensions = entries.map(entry => join(folder, entry));
    return readPackage({ folder, extensions, resources: [], ...rest }, { babel, limits });
  }

  it('tells events, gates and all that is registered, with file and line', async () => {
    await write({
      'index.ts': `import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
import { addTools } from './src/tools';
export default function (pi: ExtensionAPI) {
  pi.on('tool_call', () => ({ block: true }));
  pi.on('turn_end', () => undefined);
  pi.registerCommand('stats', { description: 'Show them', handler: async () => undefined });
  pi.registerFlag('fast', { type: 'boolean' });
  pi.registerShortcut('ctrl+q', { handler: () => undefined });
  pi.registerProvider('acme', { baseUrl: 'https://models.acme.test/v1' });
  pi.registerMcpServer('files', { command: 'npx' });
  addTools(pi);
}
`,
      'src/tools.js': `export function addTools(api) {
  api.registerTool({ name: 'count', description: 'Counts', execute: async () => ({}) });
}
`,
    });
    const preview = await read(['index.ts']);
    assert.deepEqual(claims(preview, 'gate'), ['tool_call @ index.ts:4']);
    assert.deepEqual(claims(preview, 'event'), ['turn_end @ index.ts:5']);
    assert.deepEqual(claims(preview, 'command'), ['/stats @ index.ts:6']);
    assert.deepEqual(claims(preview, 'flag'), ['fast @ index.ts:7']);
    assert.deepEqual(claims(preview, 'shortcut'), ['ctrl+q @ index.ts:8']);
    assert.deepEqual(claims(preview, 'provider'), ['acme @ index.ts:9']);
    assert.deepEqual(claims(preview, 'mcpServer'), ['files @ index.ts:10']);
    assert.deepEqual(claims(preview, 'tool'), ['count @ src/tools.js:2']);
    assert.deepEqual(claims(preview, 'host'), ['models.acme.test @ index.ts:9']);
    assert.equal(preview.compatibility.dialect.id, 'pi');
    assert.equal(preview.read.parsed, 2);
    assert.ok(preview.claims.some(({ kind, name }) => kind === 'gate' && name === 'tool_call'));
  });

  it('tells install scripts, license, author, versions of pi and what else it adds', async () => {
    await write({
      'package.json': JSON.stringify({
        name: 'with-script',
        version: '2.0.1',
        license: 'MIT',
        author: { name: 'Ada' },
        scripts: { postinstall: 'node fetch.js', test: 'mocha' },
        peerDependencies: { '@earendil-works/pi-coding-agent': '>=0.90' },
      }),
      'extensions/a.ts': 'export default () => undefined;\n',
      'fetch.js': `const { get } = require('https');\nget('https://x.test');\n`,
      'skills/draw/SKILL.md': '---\nname: draw\n---\n',
      'native/addon.node': 'ELF',
    });
    const resources = [{ kind: 'skill' as const, path: join(folder, 'skills/draw/SKILL.md') }];
    const preview = await read(['extensions/a.ts'], { resources });
    assert.deepEqual(preview.about, {
      name: 'with-script',
      version: '2.0.1',
      license: 'MIT',
      author: 'Ada',
      asksFor: ['@earendil-works/pi-coding-agent >=0.90'],
    });
    const [script] = preview.claims.filter(({ kind }) => kind === 'script');
    assert.deepEqual([script?.name, script?.detail], ['postinstall', 'node fetch.js']);
    assert.deepEqual(claims(preview, 'skill'), ['draw @ skills/draw/SKILL.md:-']);
    assert.deepEqual(claims(preview, 'binary'), ['native/addon.node @ native/addon.node:-']);
    assert.deepEqual(claims(preview, 'module'), ['https @ fetch.js:1']);
    assert.equal(preview.size.files, 5);
    assert.equal(preview.read.searched, 1);
  });

  it('finds modules however they are asked for', async () => {
    const cases: readonly (readonly [code: string, module: string, hidden: boolean])[] = [
      [`import { spawn } from 'node:child_process'; spawn('ls');`, 'child_process', false],
      [`import cp = require('child_process'); cp.exec('ls');`, 'child_process', false],
      [`export { spawn } from 'child_process';`, 'child_process', false],
      [`const m = await import('net');`, 'net', false],
      [`require('child_' + 'process').exec('ls');`, 'child_process', true],
      ['const part = "process"; require(`child_${part}`);', 'child_process', true],
      [`require(['child', 'process'].join('_'));`, 'child_process', true],
      [`require(atob('Y2hpbGRfcHJvY2Vzcw=='));`, 'child_process', true],
      [`require(Buffer.from('6e6574', 'hex').toString());`, 'net', true],
      [`require('ssecorp_dlihc'.split('').reverse().join(''));`, 'child_process', true],
      [`process.getBuiltinModule('fs').rmSync('/');`, 'fs', false],
      [`import { createRequire } from 'module'; createRequire(import.meta.url)('net');`, 'net', false],
      [`import * as m from 'module'; const load = m.createRequire('/'); load('node:tls');`, 'tls', false],
    ];
    for (const [code, module, hidden] of cases) {
      await write({ 'index.ts': `export default () => undefined;\n${code}\n` });
      const preview = await read(['index.ts']);
      assert.ok(
        claims(preview, 'module').includes(`${module} @ index.ts:2`),
        `${code}\n${String(claims(preview, 'module'))}`,
      );
      assert.deepEqual(claims(preview, 'piecedModule'), hidden ? [`${module} @ index.ts:2`] : [], code);
    }
  });

  it('says what only a run could tell', async () => {
    await write({
      'index.ts': `export default function (pi) {
  require(process.env.WHICH);
  new Function('return 1')();
  pi.on(process.argv[2], () => undefined);
}
`,
    });
    const preview = await read(['index.ts']);
    assert.deepEqual(claims(preview, 'hidden'), [
      'codeFromText @ index.ts:3',
      'computedEvent @ index.ts:4',
      'computedModule @ index.ts:2',
    ]);
    assert.deepEqual(claims(preview, 'variable'), ['WHICH @ index.ts:2']);
  });

  it('tells commands and hosts that are written there', async () => {
    await write({
      'index.ts': `import { execSync, spawn } from 'node:child_process';
const API = 'https://user:secret@api.example.com:8443/v1';
export default function (pi) {
  execSync('git status --short');
  spawn(\`docker\`, ['run']);
  execSync(\`curl \${API}\`);
  void pi.exec('npm', ['ls']);
  void fetch(\`https://\${process.env.HOST}.internal.test/x\`);
}
`,
    });
    const preview = await read(['index.ts']);
    assert.deepEqual(claims(preview, 'shellCommand'), [
      'curl @ index.ts:6',
      'docker @ index.ts:5',
      'git @ index.ts:4',
      'npm @ index.ts:7',
    ]);
    assert.deepEqual(claims(preview, 'host'), ['api.example.com @ index.ts:2', '….internal.test @ index.ts:8']);
    const [git] = preview.claims.filter(({ name }) => name === 'git');
    assert.equal(git?.detail, 'git status --short');
    const [module] = preview.claims.filter(({ kind }) => kind === 'module');
    assert.equal(module?.detail, 'execSync; spawn');
  });

  it('reads minified bundles, and follows what they hand to classes', async () => {
    await write({
      'dist/index.js':
        'import{spawn as s}from"node:child_process";class G{constructor(p){this.p=p}on(){this.p.on("tool_call",async e=>{if(e.toolName==="bash")return{block:!0}});this.p.registerCommand("go",{handler:async()=>{s("make",["all"])}})}}function f(e){new G(e).on();e.frobnicate()}export{f as default};',
    });
    const preview = await read(['dist/index.js']);
    assert.deepEqual(claims(preview, 'gate'), ['tool_call @ dist/index.js:1']);
    assert.deepEqual(claims(preview, 'command'), ['/go @ dist/index.js:1']);
    assert.deepEqual(claims(preview, 'shellCommand'), ['make @ dist/index.js:1']);
    assert.deepEqual(claims(preview, 'unsupported'), ['pi.frobnicate @ dist/index.js:1']);
  });

  it('holds what is used of pi against what is here', async () => {
    await write({
      'index.ts': `import { Type } from 'typebox';
import { defineTool, createAgentSession, DefaultResourceLoader, createAgentSessionRuntime, noSuchThing } from '@earendil-works/pi-coding-agent';
import type { Anything } from '@earendil-works/pi-coding-agent';
import { Anything as AsType } from '@earendil-works/pi-coding-agent';
import { x } from '@earendil-works/pi-orbit';
export default function (pi) {
  pi.on('session_start', async (event, ctx) => {
    ctx.ui.notify('hi');
    ctx.ui.hologram('hi');
    ctx.isProjectTrusted();
    ctx.teleport();
    ctx.maybe?.();
    const { ui } = ctx;
    const other: AsType = [Type, defineTool, createAgentSession, DefaultResourceLoader, createAgentSessionRuntime, noSuchThing, x];
  });
  pi.on('full_moon', () => undefined);
  if (pi.later) pi.later();
  pi.registerCommand('x', { handler: async (args, ctx) => { await ctx.waitForIdle(); ctx.fly(); } });
}
`,
    });
    const preview = await read(['index.ts']);
    assert.deepEqual(claims(preview, 'unsupported'), [
      '@earendil-works/pi-orbit @ index.ts:5',
      'createAgentSessionRuntime of @earendil-works/pi-coding-agent @ index.ts:2',
      'ctx.fly @ index.ts:18',
      'ctx.teleport @ index.ts:11',
      'ctx.ui.hologram @ index.ts:9',
      'noSuchThing of @earendil-works/pi-coding-agent @ index.ts:2',
      'pi.on("full_moon") @ index.ts:16',
    ]);
  });

  it('says which files it did not understand, and searches their text', async () => {
    await write({
      'index.ts': `import './big.js';\nimport './broken.ts';\nexport default () => undefined;\n`,
      'big.js': `${'// padding\n'.repeat(500)}require('child_process');\n`,
      'broken.ts': `import { connect } from 'net';\nexport default function ( {\n`,
    });
    const preview = await read(['index.ts', 'gone.ts'], { limits: { file: 2_000 } });
    const why = Object.fromEntries(preview.read.unread.map(each => [each.file, each.why.type]));
    assert.deepEqual(why, { 'big.js': 'tooLarge', 'broken.ts': 'broken', 'gone.ts': 'unreadable' });
    assert.deepEqual(claims(preview, 'module'), ['child_process @ big.js:501', 'net @ broken.ts:1']);
    const cut = await read(['index.ts'], { limits: { total: 100 } });
    assert.deepEqual(
      cut.read.unread.map(({ file, why: { type } }) => `${file} ${type}`),
      ['big.js tooMuch', 'broken.ts tooMuch'],
    );
  });

  it('looks into dependencies, installed inside or beside it', async () => {
    await write({
      'package.json': JSON.stringify({ dependencies: { inner: '1', '../../etc': '1', ring: '1' } }),
      'index.js': 'module.exports = () => undefined;\n',
      'node_modules/inner/package.json': JSON.stringify({
        version: '1.2.3',
        scripts: { install: 'node-gyp rebuild', prepare: 'tsc' },
      }),
      'node_modules/inner/a.js': `\nrequire("child_process")`,
      'node_modules/inner/b.js': `require('child_process'); require('path')`,
      'node_modules/inner/build/x.node': '',
      'node_modules/ring/package.json': JSON.stringify({ version: '0.1.0', dependencies: { inner: '1', ring: '1' } }),
      'node_modules/unneeded/index.js': `require('net')`,
    });
    const preview = await read(['index.js']);
    assert.deepEqual(claims(preview, 'dependency'), [
      'inner 1.2.3 @ node_modules/inner/package.json:-',
      'ring 0.1.0 @ node_modules/ring/package.json:-',
    ]);
    assert.deepEqual(claims(preview, 'module'), ['child_process @ node_modules/inner/a.js:2']);
    assert.deepEqual(claims(preview, 'script'), ['install of inner @ node_modules/inner/package.json:-']);
    assert.deepEqual(claims(preview, 'binary'), ['inner/build/x.node @ node_modules/inner/build/x.node:-']);
  });

  it('reads a package of 2,000 files, and does not follow links out of it or in circles', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, at) => [`lib/${at}.ts`, `export const n${at} = ${at};\n`]),
    );
    await write({ ...files, 'index.ts': `import './lib/0';\nexport default () => undefined;\n` });
    await symlink('..', join(folder, 'lib', 'up'));
    await symlink(tmpdir(), join(folder, 'lib', 'out'));
    const preview = await read(['index.ts']);
    assert.deepEqual([preview.size.files, preview.read.parsed, preview.read.searched], [2_001, 2, 1_999]);
    assert.deepEqual(claims(preview, 'hidden'), ['outsideLink @ lib/out:-']);
  });

  it('tells of a package that is one file, and of a broken package.json', async () => {
    await write({ 'one.ts': `export default pi => pi.on('input', () => undefined);\n`, 'other.ts': `require('net')` });
    const lone = await readPackage(
      { folder: join(folder, 'one.ts'), extensions: [join(folder, 'one.ts')], resources: [] },
      { babel },
    );
    assert.deepEqual([lone.size.files, claims(lone, 'event')], [1, ['input @ one.ts:1']]);
    await write({ 'package.json': '{ "name": ' });
    const broken = await read([]);
    assert.deepEqual(
      broken.read.unread.map(({ file, why: { type } }) => [file, type]),
      [['package.json', 'unreadable']],
    );
  });
});
