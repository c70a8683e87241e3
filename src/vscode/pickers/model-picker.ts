import type { Api, Model } from '@mariozechner/pi-ai';
import * as vscode from 'vscode';
import { unlistedName } from '../../agent/models/choice/model-names';
import type { LocalServers } from '../../agent/models/servers/local-servers';
import type { Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Chat } from '../../chat/chat';
import type { Conversation } from '../../session/conversation';
import type { ModelSource } from '../../session/ports/ports';
import { ChangingItems } from './changing-items';
import type { FavoriteModels } from './favorite-models';
import {
  dateOf,
  DEMO,
  favoriteItems,
  groupByProvider,
  itemsOf,
  nameOfModel,
  scopeItems,
  sorted,
  unlistedItems,
  usableItems,
  type ModelItem,
} from './model-rows';
import { literalMessage } from '../message-text';

/** Asks the user for a key or a login of a provider. Resolves with true when there is one now. */
export type AskForAccess = (provider: string) => Promise<boolean>;

export interface PickModelOptions {
  readonly ask: AskForAccess;
  readonly favorites: FavoriteModels;
  /** Servers on this machine, which are looked for while the list is open. */
  readonly local: LocalServers;
  readonly search?: string | undefined;
}

/**
 * Lets the user choose a model. The list has the models that can be used now, and asks for those that appeared lately. One
 * row adds those whose key is missing, as does a typed text that none of the others matches; choosing one of them asks for
 * the key. While the list is open, it follows changes of the models, a row asks a provider which models it offers now, and
 * the user can type `provider/id` for a model that is not listed.
 */
export async function pickModel(
  conversation: Conversation,
  models: ModelSource,
  { ask, search = '', ...more }: PickModelOptions,
): Promise<void> {
  const list = new ModelList(conversation, models, { search, ...more });
  try {
    const chosen = await list.choose();
    if (chosen !== undefined && (await list.use(chosen, ask))) list.warnIfUnlisted(chosen);
  } finally {
    list.dispose();
  }
}

class ModelList {
  private readonly pick = vscode.window.createQuickPick<ModelItem>();
  private readonly items = new ChangingItems(this.pick);
  private readonly abort = new AbortController();
  private readonly changes: Disposable;
  private listed: readonly ModelItem[] = [];
  /** What this list marked last. VS Code marks nothing while its filter hides it. */
  private marked: ModelItem | undefined;
  private typed: ModelItem['unlisted'];
  private unlisted: Model<Api> | undefined;
  /** How many requests for models have not ended. */
  private running = 0;
  /** The user wants to see models whose key is missing. */
  private showsRest = false;
  /** What can be used now. */
  private usable: readonly ModelItem[] = [];
  /** Nothing that can be used now matches the typed text, so models whose key is missing are listed as well. */
  private isSearching = false;
  /** The typed text is a beginning of the demo's name, or begins with that name. */
  private namesDemo = false;

  constructor(
    private readonly conversation: Conversation,
    private readonly models: ModelSource,
    private readonly options: Omit<PickModelOptions, 'ask'>,
  ) {
    this.pick.value = options.search ?? '';
    this.pick.placeholder = vscode.l10n.t(
      'Type a name, a provider, “demo”, or provider/id for a model that is not listed',
    );
    this.pick.matchOnDescription = true;
    this.pick.keepScrollPosition = true;
    const tooltip = vscode.l10n.t('Add the Marked Model to the Favorites, or Remove It');
    this.pick.buttons = [{ iconPath: new vscode.ThemeIcon('star-empty'), tooltip }];
    this.changes = models.onDidChange(() => void this.show());
  }

  choose(): Promise<Model<Api> | undefined> {
    const { pick } = this;
    return new Promise((resolve, reject) => {
      pick.onDidChangeValue(value => this.follow(value));
      pick.onDidAccept(() => {
        const item = this.items.seen(pick.selectedItems[0]);
        // Enter may come before VS Code has marked a row of a new list.
        if (item === undefined) return;
        if (item.ask !== undefined) void this.askProvider(item.ask);
        else if (item.isRest === true) void this.showRest();
        else if (item.addsServer === true) this.addServer(resolve);
        else resolve(item.unlisted === undefined ? item.model : this.takeUnlisted(item.unlisted));
      });
      pick.onDidTriggerItemButton(({ item }) => void this.toggleFavorite(this.items.seen(item)));
      // A button of a row cannot be reached with the keyboard everywhere.
      pick.onDidTriggerButton(() => void this.toggleFavorite(this.items.seen(pick.activeItems[0])));
      pick.onDidHide(() => resolve(undefined));
      pick.show();
      this.show().catch(reject);
      void this.whileBusy(() => this.models.updateCatalog(this.abort.signal));
      void this.whileBusy(() => this.options.local.look(this.abort.signal));
    });
  }

  /** Resolves with false, and says so, when the model is not in use for want of a key. */
  async use(model: Model<Api>, ask: AskForAccess): Promise<boolean> {
    const { models } = this.conversation;
    if ((await models.set(model)) || ((await ask(model.provider)) && (await models.set(model)))) {
      await this.options.local.remember(model);
      return true;
    }
    const provider = this.nameOfProvider(model.provider);
    const text = vscode.l10n.t('{0} was not chosen: no API key is known for {1}.', model.name, provider);
    void vscode.window.showInformationMessage(text);
    return false;
  }

  /** For a model in use: says so when its provider does not list it. */
  warnIfUnlisted(model: Model<Api>): void {
    if (model !== this.unlisted) return;
    const provider = this.nameOfProvider(model.provider);
    const text = vscode.l10n.t('{0} does not list a model "{1}". Hookline uses it anyway.', provider, model.id);
    void vscode.window.showWarningMessage(text);
  }

  dispose(): void {
    this.abort.abort();
    this.changes.dispose();
    this.pick.dispose();
  }

  private nameOfProvider(id: string): string {
    return this.models.getProviderDisplayName(id);
  }

  private async show(): Promise<void> {
    const { pick, conversation } = this;
    pick.title = titleFor(this.models.listedAt);
    const current = conversation.state.model;
    const groups = sorted(await groupByProvider(this.models), current, this.namesDemo);
    const parts = { current, ...this.options, models: this.models };
    const first = [...favoriteItems(groups, parts), ...scopeItems(conversation.models.scope, parts)];
    this.usable = [...first, ...usableItems(groups, parts)];
    this.isSearching = this.matchesNone(pick.value);
    this.listed = this.showsRest || this.isSearching ? [...first, ...itemsOf(groups, parts)] : this.usable;
    const at = nameOfModel(pick.activeItems[0]?.model ?? (pick.value === '' ? current : undefined));
    this.typed = undefined;
    this.items.set(this.listed);
    // While the user filters, VS Code marks the first match. It would mark nothing for a model that the filter hides, and
    // the model that was marked last may be one.
    this.marked = this.listed.find(
      item => item.model !== undefined && nameOfModel(item.model) === at && contains(item, pick.value),
    );
    if (this.marked !== undefined) pick.activeItems = [this.marked];
    this.follow(pick.value);
  }

  private async toggleFavorite(item: ModelItem | undefined): Promise<void> {
    if (item?.model === undefined) return;
    await this.options.favorites.toggle(nameOfModel(item.model));
    await this.show();
  }

  private addServer(end: (chosen: undefined) => void): void {
    end(undefined);
    void vscode.commands.executeCommand('hookline.addModelServer');
  }

  private async showRest(): Promise<void> {
    this.showsRest = true;
    await this.show();
  }

  /** Updates the list for the typed text, which may name a model that has no key or is not listed, or the demo. */
  private follow(value: string): void {
    const namesDemo = mayNameDemo(value);
    if (namesDemo !== this.namesDemo || this.matchesNone(value) !== this.isSearching) {
      this.namesDemo = namesDemo;
      void this.show();
    }
    const unlisted = unlistedName(value, this.models.getAll());
    // The text may have been typed before the list was filled and marked. With new items, VS Code marks the first match.
    const isHidden = this.marked !== undefined && !contains(this.marked, value);
    if (unlisted === undefined && this.typed === undefined && !isHidden) return;
    this.marked = undefined;
    this.typed = unlisted;
    this.items.set(unlisted === undefined ? this.listed : [...this.listed, ...unlistedItems(unlisted)]);
  }

  /** Whether a typed text matches nothing that can be used now. VS Code would sort the rest before what matches. */
  private matchesNone(value: string): boolean {
    if (value.trim() === '') return false;
    const own = this.usable.filter(({ model, ask }) => model !== undefined || ask !== undefined);
    return !own.some(item => contains(item, value));
  }

  private async askProvider(provider: string): Promise<void> {
    const { pick, models } = this;
    await this.whileBusy(async () => {
      const { all, added } = await models.askOffered(provider, this.abort.signal);
      pick.placeholder = vscode.l10n.t('Models that {0} offers: {1}, new: {2}', provider, all, added);
    });
  }

  private async whileBusy(work: () => Promise<void> | undefined): Promise<void> {
    this.running += 1;
    this.pick.busy = true;
    try {
      await work();
    } catch (error) {
      if (!this.abort.signal.aborted) void vscode.window.showWarningMessage(literalMessage(messageOf(error)));
    } finally {
      this.running -= 1;
      this.pick.busy = this.running > 0;
    }
  }

  private takeUnlisted({ provider, id }: NonNullable<ModelItem['unlisted']>): Model<Api> | undefined {
    this.unlisted = this.models.addUnlisted(provider, id);
    return this.unlisted;
  }
}

/** @param listedAt in ms since 1970 */
function titleFor(listedAt: number | undefined): string {
  if (listedAt === undefined) return vscode.l10n.t('Choose a model');
  return vscode.l10n.t('Choose a model (list of {0})', dateOf(listedAt));
}

function contains({ label, description = '' }: ModelItem, typed: string): boolean {
  return `${label}\n${description}`.toLowerCase().includes(typed.trim().toLowerCase());
}

function mayNameDemo(typed: string): boolean {
  const text = typed.trim().toLowerCase();
  return text.length > 1 && (DEMO.startsWith(text) || text.startsWith(DEMO));
}

/** Switches to the next or previous of the scoped models, or says that there is no other. */
export async function goToModel(conversation: Conversation, by: 1 | -1): Promise<void> {
  if ((await conversation.models.cycle(by)) !== undefined) return;
  void vscode.window.showInformationMessage(vscode.l10n.t('There is no other model to switch to.'));
}

/** Lets the user choose the thinking level. */
export async function pickThinkingLevel({ conversation, status }: Chat): Promise<void> {
  const { thinkingLevels, thinkingLevel, model } = status.current;
  if (thinkingLevels.length <= 1) {
    void vscode.window.showInformationMessage(vscode.l10n.t('{0} has no thinking levels.', model));
    return;
  }
  const items = thinkingLevels.map(level => ({
    label: `${level === thinkingLevel ? '$(check)' : '$(blank)'} ${level}`,
    level,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Choose a thinking level'),
    placeHolder: vscode.l10n.t('More thinking takes longer and costs more'),
  });
  if (chosen !== undefined) conversation.models.setThinkingLevel(chosen.level);
}
