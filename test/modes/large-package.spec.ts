import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { silentLog } from '../../src/base/log';
import { HookLoader } from '../../src/hook-load/hook-loader';
import { OwnershipScope } from '../../src/hook-load/ownership/scope';
import { shippedModules } from '../../src/hook-load/modules/shipped-modules';
import { ThemeSwitch } from '../../src/hook-contract/ui/theme';
import { Previewer } from '../../src/package-preview/previewer';
import { Rig } from '../support/conversation-rig';
import { builtCli } from './support/cli';
import { RUNTIME_EXPORTS } from '../../src/hook-run/tool-call/runtime-exports';

const JITI_DIR = resolve('node_modules/jiti/dist');
/** With the workers that are shipped; the conversation runs on this thread, as it does in the extension host. */
describe('a large package', function () {
  this.timeout(120_000);
  let folder = '';
  let dist = '';
  let rig: Rig;
  before(async () => {
    dist = dirname(await builtCli());
  });
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'large-package-'));
    writeFileSync(join(folder, 'package.json'), '{ "name": "large", "version": "1.0.0" }');
    writeFileSync(join(folder, 'index.ts'), largeModule());
    rig = await Rig.open([{ text: 'Here I am.' }]);
  });
  afterEach(async () => {
    await rig.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Which is over first: the work, or a whole run of the conversation. */
  async function firstOf(work: Promise<unknown>): Promise<'work' | 'answer'> {
    const over = (): 'work' => 'work';
    const answer = async (): Promise<'answer'> => {
      await rig.chat.submit('Are you there?');
      await rig.conversation.run.waitForIdle();
      assert.match(JSON.stringify(rig.items('assistant')), /Here I am\./);
      return 'answer';
    };
    return await Promise.race([work.then(over, over), answer()]);
  }

  it('is previewed while the conversation goes on, and a cancel ends that at once', async () => {
    const workerFile = join(dist, 'preview-worker.js');
    const previewer = new Previewer({ workerFile, jitiDir: JITI_DIR });
    const cancel = new AbortController();
    const request = { folder, extensions: [join(folder, 'index.ts')], resources: [] };
    const preview = previewer.preview(request, cancel.signal);
    assert.equal(await firstOf(preview), 'answer');
    cancel.abort();
    await assert.rejects(preview, { name: 'AbortError' });
  });

  it('is compiled while the conversation goes on, and loads', async () => {
    const modules = shippedModules({
      runtime: RUNTIME_EXPORTS,
      agentDir: () => folder,
      theme: () => new ThemeSwitch().current,
    });
    const loader = new HookLoader({
      cacheDir: join(folder, 'cache'),
      jitiDir: JITI_DIR,
      extensionVersion: '1.0.0',
      workerFile: join(dist, 'transform-worker.js'),
      modules: () => modules,
      log: silentLog,
    });
    const scope = new OwnershipScope({ owner: 'large', onDidThrow: () => undefined });
    const loading = loader.load({ path: join(folder, 'index.ts'), group: 'extensions' }, scope);
    assert.equal(await firstOf(loading), 'answer');
    const loaded = await loading;
    assert.ok(loaded.ok);
    assert.equal(typeof loaded.value.factory, 'function');
    await scope.release();
    loader.dispose();
  });
});

/** Some seconds of CPU, and below what a preview parses of one file. */
function largeModule(): string {
  const functions = Array.from(
    { length: 8_000 },
    (_, index) =>
      `function f${index}(a: number, b: { c: string }): string { if (a > ${index}) { return b.c + String(a); } return \`\${a}\`; }\n`,
  );
  return `${functions.join('')}export default pi => pi.registerCommand('large', { handler: () => f0.length });\n`;
}
