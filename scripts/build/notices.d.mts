import type { Metafile } from 'esbuild';

export const NOTICES: string;
export function writeNotices(options: {
  readonly metafiles: readonly Pick<Metafile, 'outputs'>[];
  readonly outdir: string;
}): void;
