import type { Api, Model } from '@mariozechner/pi-ai';
import * as vscode from 'vscode';
import { EDITOR_PROVIDER } from '../../agent/models/editor-models';
import { isProviderDefault } from '../../agent/models/choice/default-models';
import { unlistedName } from '../../agent/models/choice/model-names';
import type { ModelScope } from '../../agent/models/choice/model-scope';
import { canListModels } from '../../agent/models/choice/offered-models';
import type { Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Chat } from '../../chat/chat';
import type { Conversation } from '../../session/conversation';
import type { ModelSource } from '../../session/ports/ports';
import { ChangingItems } from './changing-items';
import { literalMessage } from '../message-text';

const DEMO = 'demo';

/** Among providers without a key, these come first, because most users choose one of them. */
const USUAL = ['anthropic', 'openai', 'google'];

/** Asks the user for a key or a login of a provider. Resolves with true when there is one now. */
export type AskForAccess = (provider: string) => Promise<boolean>;

/**
 * A row of the pick. `model`: chooses a model. `isRest`: shows the models whose key is missing. `ask`: asks this provider
 * which models it offers. `unlisted`: uses a model that no list has.
 */
type ModelItem = vscode.QuickPickItem & {
  readonly model?: Model<Api>;
  readonly isRest?: true;
  readonly ask?: string;
  readonly unlisted?: { readonly provider: string; readonly id: string };
};

/** The models of one provider, and whether there is a key for them. */
interface Group {
  readonly provider: string;
  readonly models: readonly Model<Api>[];
  readonly hasKey: boolean;
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
  { ask, search = '' }: { readonly ask: AskForAccess; readonly search?: string | undefined },
): Promise<void> {
  const list = new ModelList(conversation, models, search);
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
    search: string,
  ) {
    this.pick.value = search;
    this.pick.placeholder = vscode.l10n.t(
      'Type a name, a provider, “demo”, or provider/id for a model that is not listed',
    );
    this.pick.matchOnDescription = true;
    this.pick.keepScrollPosition = true;
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
        else resolve(item.unlisted === undefined ? item.model : this.takeUnlisted(item.unlisted));
      });
      pick.onDidHide(() => resolve(undefined));
      pick.show();
      this.show().catch(reject);
      void this.whileBusy(() => this.models.updateCatalog(this.abort.signal));
    });
  }

  /** Resolves with false, and says so, when the model is not in use for want of a key. */
  async use(model: Model<Api>, ask: AskForAccess): Promise<boolean> {
    const { models } = this.conversation;
    if (await models.set(model)) return true;
    if ((await ask(model.provider)) && (await models.set(model))) return true;
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
    const scoped = scopeItems(conversation.models.scope, current);
    this.usable = [...scoped, ...usableItems(groups, current)];
    this.isSearching = this.matchesNone(pick.value);
    this.listed = this.showsRest || this.isSearching ? [...scoped, ...itemsOf(groups, current)] : this.usable;
    const at = nameOf(pick.activeItems[0]?.model ?? (pick.value === '' ? current : undefined));
    this.typed = undefined;
    this.items.set(this.listed);
    // While the user filters, VS Code marks the first match. It would mark nothing for a model that the filter hides, and
    // the model that was marked last may be one.
    this.marked = this.listed.find(
      item => item.model !== undefined && nameOf(item.model) === at && contains(item, pick.value),
    );
    if (this.marked !== undefined) pick.activeItems = [this.marked];
    this.follow(pick.value);
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
      pick.placeholder = vscode.l10n.t('{0} offers {1} models, {2} of them new', provider, all, added);
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
  const date = new Date(listedAt).toLocaleDateString(vscode.env.language, { dateStyle: 'medium' });
  return vscode.l10n.t('Choose a model (list of {0})', date);
}

function contains({ label, description = '' }: ModelItem, typed: string): boolean {
  return `${label}\n${description}`.toLowerCase().includes(typed.trim().toLowerCase());
}

function nameOf(model: Model<Api> | undefined): string {
  return model === undefined ? '' : `${model.provider}/${model.id}`;
}

function mayNameDemo(typed: string): boolean {
  const text = typed.trim().toLowerCase();
  return text.length > 1 && (DEMO.startsWith(text) || text.startsWith(DEMO));
}

/**
 * Sorts the providers: the current one first, then those with a key, the demo, and the rest. The demo is left out when
 * another provider has a key, unless the demo is in use or the typed text names it.
 */
function sorted(all: readonly Group[], current: Model<Api> | undefined, namesDemo: boolean): readonly Group[] {
  const hasOther = all.some(({ provider, hasKey }) => hasKey && provider !== DEMO);
  const groups = all.filter(
    ({ provider }) => provider !== DEMO || !hasOther || namesDemo || current?.provider === DEMO,
  );
  const rank = (group: Group): number => {
    if (group.provider === current?.provider) return 0;
    if (group.provider === DEMO) return 2;
    if (group.hasKey) return 1;
    const usual = USUAL.indexOf(group.provider);
    return usual < 0 ? 3 + USUAL.length : 3 + usual;
  };
  return [...groups].sort((a, b) => rank(a) - rank(b) || a.provider.localeCompare(b.provider));
}

function itemsOf(groups: readonly Group[], current: Model<Api> | undefined): readonly ModelItem[] {
  return groups.flatMap(group => [
    { label: headingOf(group), kind: vscode.QuickPickItemKind.Separator },
    ...group.models.map(model => itemFor(model, group, current)),
    ...askItems(group),
  ]);
}

/** Rows for the models that can be used now, and one row for the rest, which the filter never hides. */
function usableItems(groups: readonly Group[], current: Model<Api> | undefined): readonly ModelItem[] {
  const isUsable = ({ hasKey, provider }: Group): boolean => hasKey || provider === current?.provider;
  const rest = groups.filter(group => !isUsable(group));
  const items = itemsOf(groups.filter(isUsable), current);
  if (rest.length === 0) return items;
  const count = rest.reduce((sum, { models }) => sum + models.length, 0);
  const label = `$(key) ${vscode.l10n.t('Show {0} models that need a key or a login…', count)}`;
  const description = vscode.l10n.t('of {0} providers', rest.length);
  return [
    ...items,
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    { label, description, isRest: true, alwaysShow: true },
  ];
}

/** Rows for the models of the setting `enabledModels`, which come first, as in pi. */
function scopeItems({ models, warnings }: ModelScope, current: Model<Api> | undefined): ModelItem[] {
  if (models.length === 0 && warnings.length === 0) return [];
  return [
    { label: vscode.l10n.t('enabledModels of the settings'), kind: vscode.QuickPickItemKind.Separator },
    ...models.map(({ model }) => itemFor(model, { hasKey: true }, current)),
    ...warnings.map(({ message }) => ({ label: `$(warning) ${message}` })),
  ];
}

function askItems({ provider, models, hasKey }: Group): ModelItem[] {
  const [first] = models;
  if (!hasKey || first === undefined || !canListModels(first)) return [];
  const label = `$(cloud-download) ${vscode.l10n.t('Ask {0} which models it offers now', provider)}`;
  return [{ label, ask: provider }];
}

/** The row comes after all models that the filter leaves. */
function unlistedItems(unlisted: NonNullable<ModelItem['unlisted']>): readonly ModelItem[] {
  const { provider, id } = unlisted;
  const label = `$(add) ${vscode.l10n.t('Use {0} of {1}, which is not listed', id, provider)}`;
  return [
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    { label, unlisted, alwaysShow: true },
  ];
}

function headingOf({ provider, hasKey }: Group): string {
  if (provider === DEMO) return vscode.l10n.t('demo: needs no key and no network, for trying things out');
  if (provider === EDITOR_PROVIDER) return vscode.l10n.t('{0}: models of VS Code, need no key here', provider);
  return hasKey ? vscode.l10n.t('{0}: key known', provider) : vscode.l10n.t('{0}: no key yet', provider);
}

function itemFor(model: Model<Api>, group: Pick<Group, 'hasKey'>, current: Model<Api> | undefined): ModelItem {
  const inUse = model.provider === current?.provider && model.id === current.id;
  const icon = inUse ? '$(check)' : group.hasKey ? '$(blank)' : '$(key)';
  const name = `${model.provider}/${model.id}`;
  const description = isProviderDefault(model) ? vscode.l10n.t('{0} · the default of its provider', name) : name;
  return { label: `${icon} ${model.name}`, description, model };
}

async function groupByProvider(models: ModelSource): Promise<Group[]> {
  const byProvider = new Map<string, Model<Api>[]>();
  for (const model of models.getAll()) {
    byProvider.set(model.provider, [...(byProvider.get(model.provider) ?? []), model]);
  }
  return Promise.all(
    [...byProvider].map(async ([provider, own]) => {
      const [first] = own;
      return { provider, models: own, hasKey: first !== undefined && (await models.hasKey(first)) };
    }),
  );
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
