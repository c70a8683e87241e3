import type { Plugin } from 'esbuild';
import { readFileSync } from 'node:fs';

/** Lets the image library find its WebAssembly beside the bundle that it became a part of; `build.ts` puts it there. */
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
