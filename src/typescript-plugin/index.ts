import { join } from 'node:path';
import type ts from 'typescript';
import { createPlugin } from './plugin';

/** What TypeScript's server calls; the build makes it the module itself, as the server demands. */
export const init = ({ typescript }: { readonly typescript: typeof ts }): ts.server.PluginModule =>
  createPlugin(typescript, join(__dirname, '..', '..', 'dist', 'typings'));
