import { join } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Event } from '../../base/event';
import type { Log } from '../../base/log';
import { WorkspaceCommandStore } from './workspace-command-store';
import { CompanionExtension } from './companion-extension';
import { commandIdsOf, workspaceHash } from './companion-manifest';
import { setContextKey } from '../context-keys';
import type { VsCodeSettings } from '../settings';
import type { HookCommandRunner } from './hook-command-runner';
import { PaletteConsent } from './palette-consent';
import { PaletteSync, type PaletteState } from './palette-sync';
import { literalMessage } from '../message-text';

/** What the palette entries of a window are made from. */
export interface HookPaletteParts {
  readonly runner: HookCommandRunner;
  /** Fires when the hooks or their commands change. */
  readonly onDidChange: Event<void>;
  /** Fires when a command of a hook has run, from the palette, the chat or elsewhere. */
  readonly onDidRunCommand: Event<void>;
  readonly folder: string | undefined;
  /** Absolute path of a folder that all windows share. */
  readonly storageDir: string;
  readonly settings: VsCodeSettings;
  /** VS Code's storage for the workspace. */
  readonly memory: vscode.Memento;
  readonly log: Log;
}

/** Makes the hook commands of a window commands of VS Code: they are in the palette and can be bound to keys. */
export class HookPalette implements Disposable {
  private readonly store = new DisposableStore();
  private readonly handlers = new Map<string, Disposable>();
  private readonly sync: PaletteSync;
  private readonly hash: string;
  private readonly companion: CompanionExtension;
  private readonly consent: PaletteConsent;

  constructor(private readonly parts: HookPaletteParts) {
    const { folder, log, storageDir, settings, memory } = parts;
    const dir = join(storageDir, 'palette');
    this.hash = workspaceHash(folder);
    this.companion = new CompanionExtension(dir, this.hash);
    this.consent = this.store.add(new PaletteConsent(settings, memory, parts.onDidRunCommand));
    this.sync = this.store.add(
      new PaletteSync({
        companion: this.companion,
        consent: this.consent,
        commandStore: new WorkspaceCommandStore(join(dir, 'commands')),
        hash: this.hash,
        folder,
        log,
      }),
    );
    this.store.add(this.sync.onDidChangeState(state => setContextKey('hookline.hookCommands', state)));
    this.store.add(parts.onDidChange(() => this.update()));
    this.update();
  }

  /** Sets the user's choice to list hook commands in the palette, in all workspaces. */
  add(): Promise<void> {
    return this.consent.decide('always');
  }

  /** Removes hook commands from the palette in all workspaces, and sets the user's choice to never list them. */
  async remove(): Promise<void> {
    await this.consent.decide('never');
    await this.companion.uninstall();
  }

  get state(): PaletteState {
    return this.sync.state;
  }

  dispose(): void {
    for (const handler of this.handlers.values()) handler.dispose();
    this.handlers.clear();
    this.store.dispose();
  }

  private update(): void {
    const commands = this.parts.runner.list();
    // Also registers the original name, so that key bindings to it still work when a second hook uses the same name.
    const names = new Set(commands.flatMap(({ name, registeredAs = name }) => [name, registeredAs]));
    for (const [name, handler] of this.handlers) {
      if (names.has(name)) continue;
      handler.dispose();
      this.handlers.delete(name);
    }
    for (const name of names) if (!this.handlers.has(name)) this.handlers.set(name, this.register(name));
    this.sync.update(commands);
  }

  private register(name: string): Disposable {
    const store = new DisposableStore();
    // The palette passes no arguments. A key binding passes them only with `"args": "…"`.
    const run = (args: unknown): Promise<void> => this.run(name, typeof args === 'string' ? args : undefined);
    for (const id of commandIdsOf(name, this.hash)) {
      try {
        store.add(vscode.commands.registerCommand(id, run));
      } catch (error) {
        // Another extension has this id. The chat and "Run Hook Command…" can still run the command.
        this.parts.log.warn(`The hook command "/${name}" cannot be run as ${id}: ${messageOf(error)}`);
      }
    }
    return store;
  }

  private async run(name: string, args: string | undefined): Promise<void> {
    try {
      await this.parts.runner.run(name, args);
    } catch (error) {
      this.parts.log.error(`Command "/${name}" failed: ${messageOf(error)}`, error);
      void vscode.window.showErrorMessage(literalMessage(`/${name}: ${messageOf(error)}`));
    }
  }
}
