import assert from 'node:assert/strict';
import * as esbuild from 'esbuild';
import { hostOptions } from '../../scripts/build/options.ts';

/** Bytes of a production build. What a command, a view or the chat needs is loaded with it. */
const MOST_BYTES = 250_000;

describe('what VS Code loads to activate the extension', function () {
  this.timeout(120_000);

  it('is small', async () => {
    const { entryPoints, ...options } = hostOptions({ production: true });
    const { extension = '' } = entryPoints;
    const { metafile } = await esbuild.build({ ...options, entryPoints: { extension }, write: false, metafile: true });
    const entry = Object.keys(metafile.outputs).find(file => metafile.outputs[file]?.entryPoint === extension) ?? '';
    const loaded = new Set<string>();
    const load = (file: string): void => {
      const output = metafile.outputs[file];
      if (output === undefined || loaded.has(file)) return;
      loaded.add(file);
      for (const { kind, path } of output.imports) if (kind === 'import-statement') load(path);
    };
    load(entry);
    const outputs = [...loaded].flatMap(file => metafile.outputs[file] ?? []);
    const bytes = outputs.reduce((sum, output) => sum + output.bytes, 0);
    const inputs = outputs.flatMap(output => Object.entries(output.inputs));
    const largest = inputs.sort(([, one], [, other]) => other.bytesInOutput - one.bytesInOutput).slice(0, 10);
    assert.ok(bytes > 10_000, 'the entry was found');
    assert.ok(bytes <= MOST_BYTES, `${bytes} bytes, of these ${largest.map(([path]) => path).join(', ')}`);
  });
});
