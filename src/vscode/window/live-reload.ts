import { join } from 'node:path';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { areSame } from '../../base/are-same';
import { messageOf } from '../../base/errors';
import { Emitter, type Event } from '../../base/event';
import type { Log } from '../../base/log';
import { isFolder } from '../../base/files/on-disk';
import { oneAtATime } from '../../base/async/repeated-calls';
import type { Conversations } from '../../chat/window/conversations';
import type { HookHost } from '../../hook-run/host/host';
import type { LiveResources } from '../../startup/resources';
import { areOnlyHooks, configuredPaths, watchTargets } from '../../startup/watch-targets';
import type { WindowServices } from './window-services';
import { workspaceTrust } from './trust';
import { FileWatcher } from '../watch/file-watcher';

/**
 * Reads settings, instructions, models and hooks again when their files change, without a reload of the window. If only
 * code of hooks changed, only the hooks are loaded again.
 */
export class LiveReload implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changeEmitter = this.store.add(new Emitter<void>());
  /** Fires when anything that is read from disk or from settings may have changed. */
  readonly onDidChange: Event<void> = this.changeEmitter.event;
  private readonly refreshEmitter = this.store.add(new Emitter<void>());
  /** Fires when more than the hooks was read again. */
  readonly onDidRefresh: Event<void> = this.refreshEmitter.event;
  private readonly watcher: FileWatcher;
  /** Whether the next reading is of everything; else it is of the hooks alone. */
  private readsAll = false;
  private readonly read = oneAtATime(() => {
    const { readsAll } = this;
    this.readsAll = false;
    return readsAll ? this.refreshNow() : this.loadHooks();
  });
  /** Reads everything again; hooks whose content is the same keep running. Never rejects. */
  readonly refresh = (): Promise<void> => {
    this.readsAll = true;
    return this.read();
  };
  /** Decides again whether the folder is trusted, and loads or holds back what depends on it. */
  readonly decideTrust = async (): Promise<void> => {
    const { folder, trust, settings } = this.services;
    if (folder === undefined) return;
    await trust.decide(this.host.runner, settings.current.defaultProjectTrust);
    await this.refresh();
  };

  constructor(
    private readonly services: WindowServices,
    private readonly host: HookHost,
    private readonly resources: LiveResources,
    private readonly conversations: Conversations,
    private readonly log: Log,
  ) {
    const refresh = (): void => {
      void this.refresh();
    };
    this.watcher = this.store.add(new FileWatcher(services.folder));
    this.store.add(
      this.watcher.onDidChange(paths => void (areOnlyHooks(paths, host.infos()) ? this.read() : this.refresh())),
    );
    this.store.add(services.vscodeSettings.onDidChange(refresh));
    this.store.add(services.packages.onDidChangeGate(refresh));
    this.store.add(workspaceTrust.onDidGrant(() => void this.decideTrust()));
    this.store.add(
      host.onDidChange(() => {
        this.updateTargets();
        this.changeEmitter.fire();
      }),
    );
    this.watchModels();
    this.watchTrust();
    this.updateTargets();
  }

  dispose(): void {
    this.store.dispose();
  }

  private async loadHooks(): Promise<void> {
    try {
      await this.reloadHooks({ onlyHooks: true });
    } catch (error) {
      this.log.error(`Hooks could not be read again: ${messageOf(error)}`, error);
    }
  }

  private async refreshNow(): Promise<void> {
    try {
      await Promise.all([this.services.settings.reload(), this.services.prompt.reload()]);
      if (!(await this.reloadHooks())) await this.resources.refresh();
    } catch (error) {
      this.log.error(`Hooks and settings could not be read again: ${messageOf(error)}`, error);
    }
    this.updateTargets();
    this.changeEmitter.fire();
    this.refreshEmitter.fire();
  }

  /**
   * Loads hooks again. When other hooks are loaded than before, they are asked for their resources, which are then read
   * again; resolves with whether that happened.
   */
  private async reloadHooks(options: Parameters<HookHost['reload']>[0] = {}): Promise<boolean> {
    const before = this.host.runner.loaded;
    await this.host.reload(options);
    const after = this.host.runner.loaded;
    if (areSame(before, after)) return false;
    await this.conversations.hooksReloaded();
    return true;
  }

  /** Applies decisions about trust at once that pi or the user writes to trust.json. */
  private watchTrust(): void {
    const watcher = this.store.add(new FileWatcher(undefined));
    watcher.setTargets({ folders: [], files: [join(this.services.place.agentDir, 'trust.json')] });
    this.store.add(watcher.onDidChange(() => void this.decideTrust()));
  }

  /** Lets the watcher watch the files and folders that matter now. */
  private updateTargets(): void {
    const { place, settings, packages, vscodeSettings } = this.services;
    const configured = [...configuredPaths(settings.current), ...vscodeSettings.value.hooks.paths];
    const { folders, files } = watchTargets({ ...place, configured, hooks: this.host.infos(), isFolder });
    const { watched } = packages;
    const approvals = this.services.approval.file.path;
    this.watcher.setTargets({
      folders: [...folders, ...watched.folders],
      files: [...files, ...watched.files, approvals],
    });
  }

  /** Has a watcher of its own, so that models are read only when needed: reading them runs the commands that print keys. */
  private watchModels(): void {
    const { models, place } = this.services;
    const watcher = this.store.add(new FileWatcher(undefined));
    watcher.setTargets({ folders: [], files: ['models.json', 'auth.json'].map(name => join(place.agentDir, name)) });
    this.store.add(
      watcher.onDidChange(() => {
        models
          .reload()
          .catch((error: unknown) =>
            this.log.error(`models.json and auth.json could not be read again: ${messageOf(error)}`, error),
          );
      }),
    );
  }
}
