import { loadResources, NO_RESOURCES, type NamedResources, type Resources } from '../agent/resources/load';
import type { Skill } from '../agent/resources/skill';
import type { Disposable } from '../base/disposable';
import { Emitter, type Event } from '../base/event';
import type { Log } from '../base/log';
import { rememberLast } from '../base/remember-last';
import { withTimeout } from '../base/wait';
import type { HookConversation } from '../hooks/conversation-port';
import type { HookResults } from '../hooks/events/hook-event';
import type { HookRunner } from '../hooks/dispatch/runner';
import type { Packages } from '../packages/packages';
import type { SettingsPlace, SettingsSource } from './live-settings';

/** How long hooks are waited for when they are asked for their resources, in ms. */
const HOOK_WAIT_MS = 5000;

type Discovered = HookResults['resources_discover'];
const NOTHING: Discovered = { skillPaths: [], promptPaths: [], themePaths: [] };

/** Prompt templates, skills and stream rules as a conversation uses them. */
export interface ResourceSource {
  readonly current: Resources;
  readonly onDidChange: Event<void>;
  /** Asks hooks for further paths and reads them. Never rejects, and never waits long for a hook. */
  discover(reason: 'startup' | 'reload', conversation: HookConversation): Promise<void>;
}

/** For conversations without any. */
export const noResources: ResourceSource = {
  current: NO_RESOURCES,
  onDidChange: () => ({ dispose: () => undefined }),
  discover: () => Promise.resolve(),
};

/** What {@link LiveResources} are read from. */
export interface ResourceParts {
  readonly place: SettingsPlace;
  readonly settings: SettingsSource;
  /** As they were read last. */
  readonly packages: Pick<Packages, 'files'>;
  readonly hooks: Pick<HookRunner, 'emit' | 'hasHandlers'>;
  readonly log: Log;
  readonly named?: NamedResources;
  /** The user's home folder when absent. */
  readonly home?: string;
  /** How long hooks may take to name theirs, in ms; what comes later counts anyway. 5000 when absent. */
  readonly hookWaitMs?: number;
}

/** The resources of all conversations of one place, with what hooks added to them. */
export class LiveResources implements ResourceSource, Disposable {
  private readonly changeEmitter = new Emitter<void>();
  readonly onDidChange = this.changeEmitter.event;
  private found = NOTHING;
  private loaded = NO_RESOURCES;
  /** The themes of packages at the last announcement. */
  private themes = '';
  private reads = 0;
  private questions = 0;

  private constructor(private readonly parts: ResourceParts) {}

  /** Reads what files hold; hooks are asked later, by {@link discover}. */
  static async open(parts: ResourceParts): Promise<LiveResources> {
    const resources = new LiveResources(parts);
    await resources.refresh();
    return resources;
  }

  get current(): Resources {
    return this.loaded;
  }

  /** The skills that are listed for the model. */
  get forPrompt(): readonly Skill[] {
    return this.listed(this.loaded.skills);
  }

  private readonly listed = rememberLast((skills: readonly Skill[]) => skills.filter(skill => !skill.hidden));

  dispose(): void {
    this.changeEmitter.dispose();
  }

  /** Reads everything again; to be called when a file, a setting or the trust changed. */
  async refresh(): Promise<void> {
    const mine = ++this.reads;
    const { place, settings, packages, named, home } = this.parts;
    const { agentDir, cwd } = place;
    const loaded = await loadResources({
      agentDir,
      cwd,
      includeProject: place.includeProject(),
      settings: settings.current,
      packages: { skills: packages.files('skills'), prompts: packages.files('prompts') },
      extra: this.found,
      ...(named === undefined ? {} : { named }),
      ...(home === undefined ? {} : { home }),
    });
    if (mine !== this.reads) return; // A later reading knows better.
    this.loaded = loaded;
    this.tellThemes();
    this.changeEmitter.fire();
  }

  private tellThemes(): void {
    const themes = this.parts.packages.files('themes').map(({ path }) => path);
    const news = themes.join(', ');
    if (news !== this.themes && news !== '') {
      this.parts.log.warn(`Themes of packages are not used, as colours are VS Code's: ${news}`);
    }
    this.themes = news;
  }

  async discover(reason: 'startup' | 'reload', conversation: HookConversation): Promise<void> {
    const { hooks, log, hookWaitMs = HOOK_WAIT_MS } = this.parts;
    const asking = hooks.hasHandlers('resources_discover')
      ? this.ask(reason, conversation)
      : this.adopt(NOTHING, reason);
    await withTimeout(asking, hookWaitMs, () => {
      log.warn(`A handler of resources_discover is still busy after ${hookWaitMs} ms; it is not waited for.`);
    });
  }

  private async ask(reason: 'startup' | 'reload', conversation: HookConversation): Promise<void> {
    const mine = ++this.questions;
    const { hooks, place } = this.parts;
    const found = await hooks.emit({ type: 'resources_discover', cwd: place.cwd, reason }, conversation);
    if (mine === this.questions) await this.adopt(found, reason);
  }

  /** At the start files are fresh; a reload was requested, so they are read again. */
  private async adopt(found: Discovered, reason: 'startup' | 'reload'): Promise<void> {
    if (found.themePaths.length > 0) {
      const paths = found.themePaths.join(', ');
      this.parts.log.warn(`Themes that hooks named are not used, as colours are VS Code's: ${paths}`);
    }
    const news = found.skillPaths.length + found.promptPaths.length > 0;
    this.found = found;
    if (news || reason === 'reload') await this.refresh();
  }
}
