import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { defined } from '../../../../base/defined';
import { isCode } from '../../../../base/errors';
import { withFileLock } from '../../../../agent/models/keys/file-lock';
import { expandHome } from '../../../../agent/settings/configured-path';
import { countedText, noteOwnText, readCountedText, refuseHeldText } from '../../../../base/files/counted-text';
import { replaceFile } from '../../../../agent/tools/files/writing/replace-file';
import { isRecord } from '../../../../base/json/is-record';
import { LIST_ROWS, SETTING_ROWS, type SettingRow } from './setting-members';
import {
  chosenTools,
  mergeSettings,
  parseSettings,
  settingAt,
  withSetting,
  withTodaysNames,
  type ValuePath,
  type SettingsJson,
} from './setting-values';
import { textOfFile } from '../sessions/sync-session';

type Scope = 'global' | 'project';
type Change = (text: string | undefined) => string | undefined;

/** A hook's own place for settings (pi's `SettingsStorage`). `change` returns undefined to keep the old text. */
export interface SettingsStorage {
  withLock(scope: Scope, change: Change): void;
}

/** Reads and writes the texts of the settings. */
interface Keeper {
  readonly path?: (scope: Scope) => string;
  /** Undefined when there are none. @throws the error of reading */
  read(scope: Scope): string | undefined;
  /** Rejects when they cannot be written. */
  change(scope: Scope, change: (text: string | undefined) => string): Promise<void>;
}

interface SettingsError {
  readonly scope: Scope;
  readonly path?: string;
  readonly error: Error;
}

interface Options {
  readonly projectTrusted?: boolean;
}

type Model = { readonly provider: string; readonly id: string } | undefined;

const DEFAULT_SIZES = { reserveTokens: 16_384, keepRecentTokens: 20_000 };

/**
 * pi's `SettingsManager` for the settings files, or for the storage that a hook passes. Project settings are merged
 * over global ones. A change counts at once; it is then written in the background, under the lock that pi uses. {@link
 * flush} waits for the writing. {@link drainErrors} returns what failed.
 */
class LayeredSettings {
  private readonly layers: Record<Scope, SettingsJson> = { global: {}, project: {} };
  private overrides: SettingsJson = {};
  private merged: SettingsJson = {};
  private errors: SettingsError[] = [];
  private writing = Promise.resolve();
  private trusted: boolean;

  constructor(
    private readonly keeper: Keeper,
    { projectTrusted = true }: Options = {},
  ) {
    this.trusted = projectTrusted;
    this.readAll();
  }

  getSettings(): SettingsJson {
    return structuredClone(this.merged);
  }

  getGlobalSettings(): SettingsJson {
    return structuredClone(this.layers.global);
  }

  getProjectSettings(): SettingsJson {
    return structuredClone(this.layers.project);
  }

  isProjectTrusted(): boolean {
    return this.trusted;
  }

  setProjectTrusted(trusted: boolean): void {
    if (this.trusted === trusted) return;
    this.trusted = trusted;
    this.read('project');
  }

  async reload(): Promise<void> {
    await this.writing;
    this.overrides = {};
    this.readAll();
  }

  applyOverrides(overrides: SettingsJson): void {
    this.overrides = mergeSettings(this.overrides, overrides);
    this.merge();
  }

  async flush(): Promise<void> {
    await this.writing;
  }

  drainErrors(): SettingsError[] {
    return this.errors.splice(0);
  }

  getTheme(): unknown {
    const theme = this.get(['theme']);
    return typeof theme === 'string' && theme.includes('/') ? undefined : theme;
  }

  setEnableAnalytics(enabled: boolean): void {
    this.change(['enableAnalytics'], enabled);
    if (enabled && settingAt(this.layers.global, ['trackingId']) === undefined) {
      this.change(['trackingId'], randomUUID());
    }
  }

  setTheme(theme: string): void {
    this.change(['theme'], theme);
  }

  setDefaultModelAndProvider(provider: string, modelId: string): void {
    this.change(['defaultProvider'], provider);
    this.change(['defaultModel'], modelId);
  }

  getModelThinkingLevel(provider: string, modelId: string): unknown {
    return this.get(['modelThinkingLevels', `${provider}/${modelId}`]);
  }

  getAllModelThinkingLevels(): SettingsJson {
    return this.members(['modelThinkingLevels']);
  }

  setModelThinkingLevel(provider: string, modelId: string, level: string): void {
    this.change(['modelThinkingLevels', `${provider}/${modelId}`], level);
  }

  removeModelThinkingLevel(provider: string, modelId: string): void {
    this.change(['modelThinkingLevels', `${provider}/${modelId}`], undefined);
  }

  getExtensionChangelogVersion(key: string): unknown {
    return this.get(['extensionChangelogVersions', key]);
  }

  setExtensionChangelogVersion(key: string, version: string): void {
    this.change(['extensionChangelogVersions', key], version);
  }

  getCompactionReserveTokens(model?: Model): unknown {
    return this.size('reserveTokens', model);
  }

  getCompactionKeepRecentTokens(model?: Model): unknown {
    return this.size('keepRecentTokens', model);
  }

  getCompactionSettings(model?: Model): object {
    return {
      enabled: this.get(['compaction', 'enabled']) ?? true,
      reserveTokens: this.size('reserveTokens', model),
      keepRecentTokens: this.size('keepRecentTokens', model),
    };
  }

  getBranchSummarySettings(): object {
    return { reserveTokens: 16_384, skipPrompt: false, ...this.members(['branchSummary']) };
  }

  getRetrySettings(): object {
    const { enabled, maxRetries, baseDelayMs, maxAgentDelayMs } = {
      ...{ enabled: true, maxRetries: 3, baseDelayMs: 2000, maxAgentDelayMs: 60_000 },
      ...this.members(['retry']),
    };
    return { enabled, maxRetries, baseDelayMs, maxAgentDelayMs };
  }

  getProviderRetrySettings(): object {
    const { timeoutMs, maxRetries, maxRetryDelayMs = 60_000 } = this.members(['retry', 'provider']);
    return { timeoutMs, maxRetries, maxRetryDelayMs };
  }

  getHttpIdleTimeoutMs(): number {
    return this.timeout('httpIdleTimeoutMs') ?? 300_000;
  }

  setHttpIdleTimeoutMs(timeoutMs: number): void {
    if (!Number.isFinite(timeoutMs) || timeoutMs < 0) throw new Error(`Invalid httpIdleTimeoutMs: ${timeoutMs}`);
    this.change(['httpIdleTimeoutMs'], Math.floor(timeoutMs));
  }

  getWebSocketConnectTimeoutMs(): number | undefined {
    return this.timeout('websocketConnectTimeoutMs');
  }

  getExternalEditorCommand(): string {
    const own = this.get(['externalEditor']);
    if (typeof own === 'string' && own.trim() !== '') return own;
    const { VISUAL, EDITOR } = process.env;
    return VISUAL || EDITOR || (process.platform === 'win32' ? 'notepad' : 'nano');
  }

  getDefaultTools(): string[] | undefined {
    const tools = this.get(['defaultTools']);
    return tools === undefined ? undefined : chosenTools(Array.isArray(tools) ? tools : []);
  }

  getTerminalCapabilityOverrides(): object {
    const { images, trueColor, hyperlinks } = this.members(['terminal']);
    const shown = images === 'kitty' || images === 'iterm2' ? { images } : images === false ? { images: null } : {};
    const flags = Object.entries({ trueColor, hyperlinks }).filter(([, value]) => typeof value === 'boolean');
    return { ...shown, ...Object.fromEntries(flags) };
  }

  getOrCreateDeviceId(): unknown {
    const known = settingAt(this.layers.global, ['deviceId']);
    if (known === undefined) this.change(['deviceId'], randomUUID());
    return settingAt(this.layers.global, ['deviceId']);
  }

  /** The current value of a setting. */
  valueOf({ path, fallback, only, limit, isPersonal }: SettingRow): unknown {
    const value = isPersonal === true ? settingAt(this.layers.global, path) : this.get(path);
    if (only !== undefined) return only.includes(value) ? value : fallback;
    if (limit !== undefined) return typeof value === 'number' && Number.isFinite(value) ? limit(value) : fallback;
    return structuredClone(value ?? fallback);
  }

  /**
   * Sets one value in one of the files; undefined removes it.
   * @throws Error for `project` when the folder is not trusted
   */
  change(path: ValuePath, value: unknown, scope: Scope = 'global'): void {
    if (scope === 'project' && !this.trusted) {
      throw new Error('Project is not trusted; refusing to write project settings');
    }
    this.layers[scope] = withSetting(this.layers[scope], path, structuredClone(value));
    this.merge();
    const written: (text: string | undefined) => string = text =>
      JSON.stringify(withSetting(parseSettings(text), path, value), null, 2);
    this.writing = this.writing
      .then(() => this.keeper.change(scope, written))
      .catch((error: unknown) => this.failed(scope, error));
  }

  get(path: ValuePath): unknown {
    return settingAt(this.merged, path);
  }

  private members(path: ValuePath): SettingsJson {
    const value = this.get(path);
    return isRecord(value) ? structuredClone(value) : {};
  }

  private size(name: keyof typeof DEFAULT_SIZES, model: Model): unknown {
    const own = model && this.get(['compaction', 'modelOverrides', `${model.provider}/${model.id}`, name]);
    const size = own ?? this.get(['compaction', name]) ?? DEFAULT_SIZES[name];
    if (typeof size === 'number' && Number.isSafeInteger(size) && size >= 0) return size;
    throw new Error(
      `Invalid compaction.${name} setting: ${JSON.stringify(size)}. Expected a non-negative safe integer.`,
    );
  }

  private timeout(name: string): number | undefined {
    const value = this.get([name]);
    if (value === undefined) return undefined;
    const ms = value === 'disabled' ? 0 : Number(value);
    if (Number.isFinite(ms) && ms >= 0) return Math.floor(ms);
    throw new Error(`Invalid ${name} setting: ${JSON.stringify(value)}`);
  }

  private readAll(): void {
    this.read('global');
    this.read('project');
  }

  /** Reads one file again. If that fails, the settings that were read before stay in effect. */
  private read(scope: Scope): void {
    try {
      const isHeldBack = scope === 'project' && !this.trusted;
      this.layers[scope] = isHeldBack ? {} : parseSettings(this.keeper.read(scope));
    } catch (error) {
      this.failed(scope, error);
    }
    this.merge();
  }

  private merge(): void {
    this.merged = mergeSettings(mergeSettings(this.layers.global, this.layers.project), this.overrides);
  }

  private failed(scope: Scope, thrown: unknown): void {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const path = this.keeper.path?.(scope);
    this.errors.push({ scope, ...defined({ path }), error });
  }
}

/** pi's `SettingsManager`; the global settings are in `agentDir` by default, and the project is in `projectFolder`. */
export function settingsManagerFor(agentDir: () => string, projectFolder: () => string): object {
  defineMembers();
  return class SettingsManager extends LayeredSettings {
    static create(cwd = projectFolder(), folder = agentDir(), options?: Options): SettingsManager {
      return new SettingsManager(fileKeeper(resolve(expandHome(cwd)), resolve(expandHome(folder))), options);
    }

    static fromStorage(storage: SettingsStorage, options?: Options): SettingsManager {
      return new SettingsManager(storageKeeper(storage), options);
    }

    static inMemory(settings: SettingsJson = {}, options?: Options): SettingsManager {
      const texts: Partial<Record<Scope, string>> = { global: JSON.stringify(withTodaysNames(settings)) };
      const withLock = (scope: Scope, change: Change): void => {
        const text = change(texts[scope]);
        if (text !== undefined) texts[scope] = text;
      };
      return new SettingsManager(storageKeeper({ withLock }), options);
    }
  };
}

/** Defines the members that {@link SETTING_ROWS} and {@link LIST_ROWS} describe. */
function defineMembers(): void {
  const members: Record<string, (this: LayeredSettings, value: unknown) => unknown> = {};
  for (const [name, row] of Object.entries(SETTING_ROWS)) {
    members[`get${name}`] = function () {
      return PATHS.has(name) ? pathOf(this.valueOf(row)) : this.valueOf(row);
    };
    if (row.isReadOnly === true) continue;
    members[`set${name}`] = function (value) {
      this.change(row.path, row.limit !== undefined && typeof value === 'number' ? row.limit(value) : value);
    };
  }
  for (const [name, path] of Object.entries(LIST_ROWS)) {
    members[`get${name}`] = function () {
      const list = this.get(path);
      return Array.isArray(list) ? structuredClone<unknown[]>(list) : [];
    };
    members[`set${name}`] = function (value) {
      this.change(path, value);
    };
    members[`setProject${name}`] = function (value) {
      this.change(path, value, 'project');
    };
  }
  Object.assign(LayeredSettings.prototype, members);
}

const PATHS: ReadonlySet<string> = new Set(['SessionDir', 'ShellPath']);

function pathOf(value: unknown): unknown {
  return typeof value === 'string' ? expandHome(value) : value;
}

function fileKeeper(cwd: string, agentDir: string): Keeper {
  const path = (scope: Scope): string => join(scope === 'global' ? agentDir : join(cwd, '.pi'), 'settings.json');
  return {
    path,
    read: scope => countedTextOf(path(scope)),
    change: async (scope, change) => {
      const file = path(scope);
      await mkdir(dirname(file), { recursive: true });
      await withFileLock(file, async () => {
        const before = await readCountedText(file).catch((error: unknown) => {
          if (isCode(error, 'ENOENT')) return undefined;
          throw error;
        });
        const text = change(before);
        refuseHeldText(file);
        await replaceFile(file, text);
        noteOwnText(file, text);
      });
    },
  };
}

function countedTextOf(file: string): string | undefined {
  const counted = countedText(file);
  return counted === undefined ? textOfFile(file) : counted.text;
}

function storageKeeper(storage: SettingsStorage): Keeper {
  return {
    read: scope => {
      let text: string | undefined;
      storage.withLock(scope, current => {
        text = current;
        return undefined;
      });
      return text;
    },
    change: (scope, change) => {
      storage.withLock(scope, change);
      return Promise.resolve();
    },
  };
}
