import type { BuildOptions } from 'esbuild';

export interface BundleOptions {
  readonly production: boolean;
  readonly outdir?: string;
}
export function hostOptions(options: BundleOptions): BuildOptions | undefined;
export function webviewOptions(options: BundleOptions): BuildOptions | undefined;
