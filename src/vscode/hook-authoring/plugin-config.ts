import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Event } from '../../base/event';
import { isRecord } from '../../base/json/is-record';
import type { Log } from '../../base/log';
import type { HookInfo } from '../../hook-contract/hook-info';
import type { PluginConfig } from '../../typescript-plugin/config';
import { HookPlaces } from '../../typescript-plugin/hook-places';

const TYPESCRIPT = 'vscode.typescript-language-features';
const PLUGIN = 'hookline-typescript-plugin';

interface PluginConfigurerParts {
  readonly infos: () => readonly HookInfo[];
  readonly onDidChange: Event<void>;
  readonly log: Log;
}

/**
 * Sends to the TypeScript plugin what it cannot find out from paths: hooks that settings and packages name, and dialects
 * that the user set. While there is neither, it sends nothing and does not start VS Code's TypeScript extension.
 */
export class PluginConfigurer implements Disposable {
  private readonly store = new DisposableStore();
  private sent = JSON.stringify({ hooks: [], dialects: {} });

  constructor(private readonly parts: PluginConfigurerParts) {
    this.store.add(parts.onDidChange(() => void this.update()));
    void this.update();
  }

  dispose(): void {
    this.store.dispose();
  }

  private async update(): Promise<void> {
    const config = configFor(this.parts.infos());
    if (JSON.stringify(config) === this.sent) return;
    this.sent = JSON.stringify(config);
    try {
      const api: unknown = await vscode.extensions.getExtension(TYPESCRIPT)?.activate();
      configureIn(api, config);
    } catch (error) {
      this.parts.log.warn(`Hookline could not tell TypeScript where hooks are: ${messageOf(error)}`);
    }
  }
}

function configFor(infos: readonly HookInfo[]): PluginConfig {
  const places = new HookPlaces(() => ({ hooks: [], dialects: {} }));
  const hooks = infos
    .filter(({ origin }) => origin !== 'built-in')
    .map(info => ({ ...info, file: withForwardSlashes(info.path) }));
  return {
    hooks: hooks.map(({ file }) => file).filter(file => places.entryAt(file) === undefined),
    dialects: Object.fromEntries(
      hooks.flatMap(({ file, dialect }) => (dialect?.overridden === true ? [[file, dialect.id]] : [])),
    ),
  };
}

/** The path with forward slashes, as TypeScript writes paths. */
function withForwardSlashes(path: string): string {
  return path.replaceAll('\\', '/');
}

/** Calls the API of VS Code's TypeScript extension, which has no published types. Does nothing when the API is missing. */
function configureIn(exported: unknown, config: PluginConfig): void {
  const getAPI = isRecord(exported) ? exported['getAPI'] : undefined;
  if (typeof getAPI !== 'function') return;
  const api: unknown = Reflect.apply(getAPI, exported, [0]);
  const configure = isRecord(api) ? api['configurePlugin'] : undefined;
  if (typeof configure === 'function') Reflect.apply(configure, api, [PLUGIN, config]);
}
