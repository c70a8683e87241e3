import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { toDisposable, type Disposable } from '../../../base/disposable';
import { isFolder } from '../../../base/files/on-disk';
import { oneAtATime } from '../../../base/async/repeated-calls';
import { configuredPaths, watchTargets, type WatchTargets } from '../../../startup/watch-targets';
import { loadFolder, type FolderParts, type LoadedFolder } from '../../start/load-folder';

/** How often a folder is looked at that somebody waits for changes in, ms. */
const LOOK_MS = 500;

/** What a folder is loaded with, whichever it is. */
export type LiveFolderParts = Omit<FolderParts, 'argv' | 'cwd' | 'startedIn' | 'mode' | 'heldBackAdvice'>;

/** The hooks of a folder that no window has open. They are as they are on disk, and as the folder is trusted. */
export class LiveFolder {
  /** Reads again what changed since it was read last. Rejects when the folder is not there, and when the search for hooks fails. */
  readonly refresh = oneAtATime(() => this.refreshNow());

  private constructor(
    private readonly loaded: LoadedFolder,
    private times: string,
  ) {}

  /**
   * Loads the hooks of a folder, given by its absolute path. MCP servers are not connected: the agent has its own.
   * @throws {UsageError | StartError} that says what is wrong; everything that was opened is closed then
   */
  static async open(cwd: string, parts: LiveFolderParts): Promise<LiveFolder> {
    const argv = ['--mode', 'rpc', '--no-mcp'];
    const heldBackAdvice = 'To trust it, run "hookline trust" in it, in a terminal.';
    const loaded = await loadFolder({ ...parts, argv, cwd, startedIn: cwd, mode: 'rpc', heldBackAdvice });
    // What changes while it loads is read again at the first call.
    return new LiveFolder(loaded, '');
  }

  get hooks(): LoadedFolder['host'] {
    return this.loaded.host;
  }

  /** Absolute. */
  get cwd(): string {
    return this.loaded.services.place.cwd;
  }

  get isTrusted(): boolean {
    return this.loaded.services.trust.isTrusted;
  }

  get models(): LoadedFolder['services']['models'] {
    return this.loaded.services.models;
  }

  get heldFiles(): LoadedFolder['services']['heldFiles'] {
    return this.loaded.services.heldFiles;
  }

  /** Reads again what changes on disk, soon after it did, until the result is disposed. */
  watch(): Disposable {
    const timer = setInterval(() => void this.refresh().catch(() => undefined), LOOK_MS); // Whoever asks next is told why.
    timer.unref();
    return toDisposable(() => clearInterval(timer));
  }

  /** Ends the hooks. Errors of hooks do not make it reject. */
  dispose(): Promise<void> {
    return this.loaded.end();
  }

  private async refreshNow(): Promise<void> {
    const { services } = this.loaded;
    // Which hooks would look is not known: a folder that is gone has none.
    if (!isFolder(this.cwd)) throw new Error('The folder is not there.');
    const times = this.timesNow();
    if (times === this.times) return;
    await services.settings.reload();
    await services.loadHooks();
    this.times = times;
  }

  private timesNow(): string {
    const { place, settings } = this.loaded.services;
    const configured = configuredPaths(settings.current);
    const { folders, files } = watchTargets({ ...place, configured, hooks: this.hooks.infos(), isFolder });
    const more = [join(place.agentDir, 'trust.json'), join(place.cwd, '.pi', 'settings.json')];
    return timesOf({ folders, files: [...files, ...more] });
  }
}

/** A text that is another one after a file, or the list of a folder's entries, was changed. */
function timesOf({ folders, files }: WatchTargets): string {
  const paths = [...files, ...folders, ...folders.flatMap(entriesOf)];
  return paths.map(timeOf).join('\n');
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map(name => join(folder, name));
  } catch {
    return []; // It does not exist, or cannot be read: then nothing is loaded from it.
  }
}

function timeOf(path: string): string {
  try {
    const { mtimeNs, ctimeNs, size, ino } = statSync(path, { bigint: true });
    return `${path} ${mtimeNs} ${ctimeNs} ${size} ${ino}`;
  } catch {
    return path; // Not there, or not readable.
  }
}
