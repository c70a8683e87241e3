import type { Plugin } from 'esbuild';
import { readFileSync } from 'node:fs';

/** Lets the bundled image library load its WebAssembly from the folder of the bundle, to which `build.ts` copies it. */
export function photonPlugin(): Plugin {
  return {
    name: 'photon',
    setup(build) {
      build.onLoad({ filter: /photon-node[\\/]photon_rs\.js$/ }, ({ path }) => {
        const source = readFileSync(path, 'utf8');
        const contents = source.replace(".join(__dirname, '", ".join(__hooklineFolder, '");
        if (contents === source) throw new Error(`${path}: its WebAssembly is looked for in a new way`);
        return { contents, loader: 'js' };
      });
    },
  };
}
