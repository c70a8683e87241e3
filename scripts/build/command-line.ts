import * as esbuild from 'esbuild';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/paths.ts';
import { copyGuardClient } from './guard-client.ts';
import { hostOptions, helperOptions } from './options.ts';
import { buildScripts } from './write-scripts.ts';

/** Builds the command line with all files that it needs into the folder `home`. Resolves with the path of its cli.js. */
export async function buildCommandLine(
  home: string,
  { production }: { readonly production: boolean },
): Promise<string> {
  const outdir = join(home, 'dist');
  const all = hostOptions({ production, outdir });
  const entries = Object.entries(all.entryPoints).filter(([name]) => name !== 'extension');
  await buildScripts({ ...all, entryPoints: Object.fromEntries(entries) });
  await esbuild.build(helperOptions({ production, outdir }));
  mkdirSync(join(outdir, 'jiti'), { recursive: true });
  for (const file of ['jiti.cjs', 'babel.cjs']) {
    cpSync(join(ROOT, 'node_modules', 'jiti', 'dist', file), join(outdir, 'jiti', file));
  }
  copyGuardClient(outdir);
  cpSync(join(ROOT, 'package.json'), join(home, 'package.json'));
  cpSync(join(ROOT, 'media', 'bin'), join(home, 'media', 'bin'), { recursive: true });
  return join(outdir, 'cli.js');
}
