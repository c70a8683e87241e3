import {
  loadResources,
  NO_RESOURCES,
  type NamedResources,
  type ResourceChanges,
  type Resources,
} from '../agent/resources/load';
import type { Skill } from '../agent/resources/skill';
import { defined } from '../base/defined';
import type { Disposable } from '../base/disposable';
import { Emitter, type Event } from '../base/event';
import type { Log } from '../base/log';
import { rememberLast } from '../base/remember-last';
import { withTimeout } from '../base/async/wait';
import type { HookConversation } from '../hook-contract/conversation-port';
import type { HookResults } from '../hook-contract/hook-event';
import type { HookRunner } from '../hook-run/dispatch/runner';
import type { Packages } from '../packages/packages';
import type { SettingsPlace, SettingsSource } from './live-settings';

/** How long to wait for hooks that name resources, in ms. */
const HOOK_WAIT_MS = 5000;

type Discovered = HookResults['resources_discover'];
const NO_PATHS: Discovered = { skillPaths: [], promptPaths: [], themePaths: [] };

/** The prompt templates, skills and stream rules that a conversation uses. */
export interface ResourceSource {
  readonly current: Resources;
  readonly onDidChange: Event<void>;
  /** Asks hooks for further paths and reads those. Never rejects; waits only a limited time for hooks. */
  discover(reason: 'startup' | 'reload', conversation: HookConversation): Promise<void>;
}

/** What {@link LiveResources} need. */
export interface ResourceParts {
  readonly place: SettingsPlace;
  readonly settings: SettingsSource;
  /** The packages as of their last reading. */
  readonly packages: Pick<Packages, 'files'>;
  readonly hooks: Pick<HookRunner, 'emit' | 'hasHandlers'>;
  readonly log: Log;
  readonly named?: NamedResources;
  readonly changes?: ResourceChanges;
  /** The user's home folder when absent. */
  readonly home?: string;
  /** How long `discover` waits for hooks, in ms; paths that they name later are still used. 5000 when absent. */
  readonly hookWaitMs?: number;
}

/** The resources of all conversations in one folder, including those that hooks named. */
export class LiveResources implements ResourceSource, Disposable {
  private readonly changeEmitter = new Emitter<void>();
  readonly onDidChange = this.changeEmitter.event;
  private found = NO_PATHS;
  private loaded = NO_RESOURCES;
  /** The themes of packages that the last warning named. */
  private themes = '';
  private reads = 0;
  private questions = 0;

  private constructor(private readonly parts: ResourceParts) {}

  /** Reads the resources of files and packages; {@link discover} asks hooks later. */
  static async open(parts: ResourceParts): Promise<LiveResources> {
    const resources = new LiveResources(parts);
    await resources.refresh();
    return resources;
  }

  get current(): Resources {
    return this.loaded;
  }

  /** The skills that the system prompt lists. */
  get forPrompt(): readonly Skill[] {
    return this.listed(this.loaded.skills);
  }

  private readonly listed = rememberLast((skills: readonly Skill[]) => skills.filter(skill => !skill.hidden));

  dispose(): void {
    this.changeEmitter.dispose();
  }

  /** Reads all resources again. Call this when a file, a setting or the trust changed. */
  async refresh(): Promise<void> {
    const mine = ++this.reads;
    const { place, settings, packages, named, changes = {}, home } = this.parts;
    const { agentDir, cwd } = place;
    const loaded = await loadResources({
      agentDir,
      cwd,
      includeProject: place.includeProject(),
      settings: settings.current,
      packages: { skills: packages.files('skills'), prompts: packages.files('prompts') },
      extra: this.found,
      named,
      home,
    });
    if (mine !== this.reads) return; // A later reading has begun; its result will be used.
    this.loaded = {
      ...loaded,
      ...defined({ skills: changes.skills?.(loaded.skills), templates: changes.templates?.(loaded.templates) }),
    };
    this.reportThemes();
    this.changeEmitter.fire();
  }

  private reportThemes(): void {
    const themes = this.parts.packages.files('themes').map(({ path }) => path);
    const news = themes.join(', ');
    if (news !== this.themes && news !== '') {
      this.parts.log.warn(`Themes of packages are not used, because VS Code sets the colors: ${news}`);
    }
    this.themes = news;
  }

  async discover(reason: 'startup' | 'reload', conversation: HookConversation): Promise<void> {
    const { hooks, log, hookWaitMs = HOOK_WAIT_MS } = this.parts;
    const mine = ++this.questions;
    const asking = hooks.hasHandlers('resources_discover')
      ? this.ask(reason, conversation, mine)
      : this.adopt(NO_PATHS, reason);
    await withTimeout(asking, hookWaitMs, () => {
      log.warn(`A handler of resources_discover is still busy after ${hookWaitMs} ms; Hookline does not wait for it.`);
    });
  }

  /** The answer to an older question than the last one does not count. */
  private async ask(reason: 'startup' | 'reload', conversation: HookConversation, mine: number): Promise<void> {
    const { hooks, place } = this.parts;
    const found = await hooks.emit({ type: 'resources_discover', cwd: place.cwd, reason }, conversation);
    if (mine === this.questions) await this.adopt(found, reason);
  }

  /** At startup, the files have just been read; they are read again only for new paths or a requested reload. */
  private async adopt(found: Discovered, reason: 'startup' | 'reload'): Promise<void> {
    if (found.themePaths.length > 0) {
      const paths = found.themePaths.join(', ');
      this.parts.log.warn(`Themes that hooks named are not used, because VS Code sets the colors: ${paths}`);
    }
    const news = found.skillPaths.length + found.promptPaths.length > 0;
    this.found = found;
    if (news || reason === 'reload') await this.refresh();
  }
}
