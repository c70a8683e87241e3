import * as l10n from '@vscode/l10n';
import type { Api, Model } from '@mariozechner/pi-ai';
import { EDITOR_PROVIDER } from '../../agent/models/editor-models';
import { isVirtual } from '../../agent/models/virtual-models';
import { inOrderOfDefaults } from '../../agent/models/choice/default-models';
import { nextInScope, resolveModelScope, type ModelScope } from '../../agent/models/choice/model-scope';
import { startLevelFor, thinkingLevelFor } from '../../agent/settings/model-settings';
import { THINKING_LEVELS, type ThinkingLevel } from '../../agent/thinking-levels';
import type { HookConversation } from '../../hook-contract/conversation-port';
import { emitWithTimeout, type HookWait } from '../ports/wait-for-hooks';
import type { ConversationPorts } from '../ports/ports';
import type { SessionEvents } from '../ports/session-events';
import type { SessionState } from '../state/session-state';

/** Name of the provider of the demo model. */
export const DEMO_PROVIDER = 'demo';
const NO_SCOPE: ModelScope = { models: [], warnings: [] };

export interface ModelChoiceParts {
  readonly ports: ConversationPorts;
  readonly state: SessionState;
  readonly conversation: HookConversation;
  readonly hookWait: HookWait;
  readonly events: SessionEvents;
}

/** The model of a conversation and its thinking level; the session records both. */
export class ModelChoice {
  /**
   * The model that the session or the settings name while it is not available: the editor's models come some time after
   * the start.
   */
  private awaited: { readonly provider: string; readonly modelId: string } | undefined;
  /** The demo model is in use only because there was no other. */
  private isFallback = false;
  /** Names of models about which {@link followSession} has told the user. */
  private readonly reportedModels = new Set<string>();

  constructor(private readonly parts: ModelChoiceParts) {}

  /** Resolves false when no key is known for the model; the model is then not changed. */
  async set(model: Model<Api>, source: 'set' | 'cycle' = 'set', level?: ThinkingLevel): Promise<boolean> {
    if (!(await this.parts.ports.models.hasKey(model))) return false;
    await this.use(model, source, level);
    return true;
  }

  /** The models that `enabledModels` or `--models` allow when cycling; empty: all that can be used. */
  get scope(): ModelScope {
    const { settings, models } = this.parts.ports;
    const { enabledModels } = settings.current;
    return enabledModels.length === 0 ? NO_SCOPE : resolveModelScope(enabledModels, models.getAvailable());
  }

  /**
   * Switches to the next or previous model of the scope, or of all that can be used; undefined when there is no other.
   */
  async cycle(by: 1 | -1 = 1): Promise<{ readonly model: Model<Api>; readonly isScoped: boolean } | undefined> {
    const { ports, state } = this.parts;
    const scope = this.scope.models;
    const isScoped = scope.length > 0;
    const all = isScoped ? scope : ports.models.getAvailable().map(model => ({ model }));
    const next = nextInScope(all, state.model, by);
    if (next === undefined || !(await this.set(next.model, 'cycle', next.thinkingLevel))) return undefined;
    return { model: next.model, isScoped };
  }

  /** Chooses a model even when its key is missing: the next prompt reports that. */
  async use(model: Model<Api>, source: 'set' | 'cycle' | 'restore', level?: ThinkingLevel): Promise<void> {
    const { state, ports, conversation, hookWait } = this.parts;
    const previousModel = state.model;
    if (source !== 'restore') this.recordStart();
    this.awaited = undefined;
    this.isFallback = false;
    if (previousModel?.provider === model.provider && previousModel.id === model.id) return;
    const previousLevel = state.effectiveLevel;
    this.take(model);
    if (source !== 'restore') {
      state.store.appendModelChange(model.provider, model.id);
      state.thinkingLevel = level ?? thinkingLevelFor(ports.settings.current, model) ?? state.thinkingLevel;
      this.levelFollows(previousLevel);
    }
    this.parts.events.fire({ type: 'status_changed' });
    const event = { type: 'model_select', model, previousModel, source } as const;
    // A start or a switch must not wait forever.
    if (source === 'restore') await emitWithTimeout(event, hookWait);
    else await ports.hooks.runner.emit(event, conversation);
  }

  /** The usable model with this full name: `provider/id`, or an id that only one provider has. */
  named(name: string): Model<Api> | undefined {
    const lower = name.toLowerCase();
    const found = this.parts.ports.models
      .getAvailable()
      .filter(({ provider, id }) => [`${provider}/${id}`, id].some(known => known.toLowerCase() === lower));
    return found.length === 1 ? found[0] : undefined;
  }

  /** Refuses unknown levels with a notice; a level that the model does not have becomes the nearest one, as in pi. */
  setThinkingLevel(wished: string): void {
    const { state, events } = this.parts;
    if (!THINKING_LEVELS.some(known => known === wished)) {
      events.notice(
        'warning',
        l10n.t('"{0}" is not a thinking level; known are {1}.', wished, THINKING_LEVELS.join(', ')),
      );
      return;
    }
    this.recordStart();
    const previousLevel = state.effectiveLevel;
    state.thinkingLevel = wished;
    this.levelFollows(previousLevel);
  }

  /** Records and announces the thinking level when it changed. */
  private levelFollows(previousLevel: string): void {
    const { state, ports, conversation, events } = this.parts;
    const level = state.effectiveLevel;
    if (level === previousLevel) return;
    state.store.appendThinkingLevelChange(level);
    this.parts.events.fire({ type: 'status_changed' });
    events.fire({ type: 'thinking_level_changed', level });
    void ports.hooks.runner.emit({ type: 'thinking_level_select', level, previousLevel }, conversation);
  }

  /**
   * Uses the model and level of the session; without them, the current or the default model stays. Resolves with what the
   * user should know about this, each text once.
   */
  async followSession(): Promise<string | undefined> {
    const { state, ports } = this.parts;
    const { model: said, thinkingLevel = 'off' } = state.store.buildSelection();
    const model = this.virtualChoice() ?? said;
    const isChosen = state.model === undefined && ports.start?.model !== undefined;
    const restored = model === null ? undefined : ports.models.find(model.provider, model.modelId);
    if (restored !== undefined) await this.use(restored, 'restore');
    else {
      if (state.model === undefined) await this.takeDefault();
      this.awaited = model ?? this.awaited;
    }
    const path = state.store.getPathIds();
    const says = path.some(node => node.type === 'thinking_level_change');
    const hasMessage = path.some(node => node.type === 'message');
    state.thinkingLevel = says ? thinkingLevel : this.levelOfStart(hasMessage);
    this.recordStart();
    const isReplaced = model !== null && restored === undefined && hasMessage && !isChosen;
    return isReplaced ? this.notRestored(model, state.model) : undefined;
  }

  /** The editor's own models come after the start, so nothing is said about them. */
  private notRestored(
    { provider, modelId }: { readonly provider: string; readonly modelId: string },
    used: Model<Api> | undefined,
  ): string | undefined {
    const name = `${provider}/${modelId}`;
    if (used === undefined || provider === EDITOR_PROVIDER || this.reportedModels.has(name)) return undefined;
    this.reportedModels.add(name);
    return l10n.t('Could not restore model {0}. Using {1}.', name, `${used.provider}/${used.id}`);
  }

  /** Records the model of a session without messages, unless it can only be read or a better model may become available. */
  private recordStart(): void {
    const { state } = this.parts;
    if (this.isFallback || this.awaited !== undefined || state.store.access.kind === 'read') return;
    if (!state.store.getPathIds().some(({ type }) => type === 'message')) state.recordSelection();
  }

  /** The virtual model that the session chose last; its answers name other models. */
  private virtualChoice(): { readonly provider: string; readonly modelId: string } | undefined {
    const { state, ports } = this.parts;
    const change = state.store.lastModelChange();
    const model = change && ports.models.find(change.provider, change.modelId);
    return model && isVirtual(model) ? change : undefined;
  }

  /**
   * Called when the list of models changed: switches to the requested model once it is available, replaces a fallback
   * by a better model while the session is empty, and applies changes of the current model.
   */
  async modelsChanged(): Promise<void> {
    const { state, ports } = this.parts;
    const awaited = this.awaited && ports.models.find(this.awaited.provider, this.awaited.modelId);
    if (awaited !== undefined) {
      await this.use(awaited, 'restore');
      return;
    }
    if (this.isFallback) await this.replaceFallback();
    const { model } = state;
    const same = model && ports.models.find(model.provider, model.id);
    if (same === undefined || same === model) return;
    state.model = same;
    this.parts.events.fire({ type: 'status_changed' });
  }

  /** A session that began without a thinking level ignores the model's own level and the scope's, as in pi. */
  private levelOfStart(begun: boolean): string {
    const { state, ports } = this.parts;
    if (!begun && ports.start?.thinkingLevel !== undefined) return ports.start.thinkingLevel;
    const scoped = begun ? undefined : this.scope.models.find(({ model }) => model === state.model);
    const { current } = ports.settings;
    return (
      current.startThinkingLevel ?? scoped?.thinkingLevel ?? startLevelFor(current, begun ? undefined : state.model)
    );
  }

  private take(model: Model<Api>): void {
    const { state, ports } = this.parts;
    state.model = model;
    state.modelWasOffered = ports.models.find(model.provider, model.id) !== undefined;
  }

  private async replaceFallback(): Promise<void> {
    const { store } = this.parts.state;
    const { awaited } = this;
    const better = await this.defaultModel();
    const hasMessage = store.getPathIds().some(node => node.type === 'message');
    // The user may have chosen a model in the meantime.
    if (!this.isFallback || hasMessage || better === undefined || better.provider === DEMO_PROVIDER) return;
    await this.use(better, 'restore');
    this.awaited = awaited;
  }

  private async takeDefault(): Promise<void> {
    const { ports } = this.parts;
    if (ports.start?.model !== undefined) {
      this.take(ports.start.model);
      return;
    }
    const { defaultProvider: provider, defaultModel: modelId } = ports.settings.current;
    const model = await this.defaultModel();
    if (model !== undefined) this.take(model);
    const isWanted = model?.provider === provider && model?.id === modelId;
    this.isFallback = !isWanted && (model === undefined || model.provider === DEMO_PROVIDER);
    this.awaited = !isWanted && provider !== undefined && modelId !== undefined ? { provider, modelId } : undefined;
  }

  /**
   * The model of the settings if the scope allows it, else the first of the scope, else the default of a provider with a key,
   * else the demo.
   */
  private async defaultModel(): Promise<Model<Api> | undefined> {
    const { models, settings } = this.parts.ports;
    const { defaultProvider = '', defaultModel = '' } = settings.current;
    const wished = models.find(defaultProvider, defaultModel);
    const scope = this.scope.models.map(({ model }) => model);
    if (wished !== undefined && (scope.length === 0 || scope.includes(wished))) return wished;
    if (scope[0] !== undefined) return scope[0];
    for (const model of inOrderOfDefaults(models.getAvailable())) {
      if (model.provider !== DEMO_PROVIDER && (await models.hasKey(model))) return model;
    }
    return models.find(DEMO_PROVIDER, 'offline');
  }
}
