import type { Api, Model } from '@mariozechner/pi-ai';
import * as vscode from 'vscode';
import { EDITOR_PROVIDER } from '../../agent/models/editor-models';
import { isProviderDefault } from '../../agent/models/choice/default-models';
import { modelFacts } from '../../agent/models/choice/model-facts';
import type { ModelScope } from '../../agent/models/choice/model-scope';
import { canListModels } from '../../agent/models/choice/offered-models';
import type { LocalServers } from '../../agent/models/servers/local-servers';
import type { ModelSource } from '../../session/ports/ports';
import type { FavoriteModels } from './favorite-models';

export const DEMO = 'demo';

/** Among providers without a key, these come first, because most users choose one of them. */
const USUAL = ['anthropic', 'openai', 'google'];

/**
 * A row of the pick. `model`: chooses a model. `isRest`: shows the models whose key is missing. `addsServer`: adds a server of models. `ask`: asks this provider
 * which models it offers. `unlisted`: uses a model that no list has.
 */
export type ModelItem = vscode.QuickPickItem & {
  readonly model?: Model<Api>;
  readonly isRest?: true;
  readonly ask?: string;
  readonly addsServer?: true;
  readonly unlisted?: { readonly provider: string; readonly id: string };
};

/** The models of one provider, and whether there is a key for them. */
export interface Group {
  readonly provider: string;
  readonly models: readonly Model<Api>[];
  readonly hasKey: boolean;
}

/** What the rows depend on, beside the models. */
export interface RowParts {
  readonly current: Model<Api> | undefined;
  readonly favorites: Pick<FavoriteModels, 'has'>;
  readonly local: Pick<LocalServers, 'has' | 'listedAt'>;
  readonly models: Pick<ModelSource, 'listedFrom' | 'getProviderDisplayName'>;
}

/** `provider/id`; empty for no model. */
export function nameOfModel(model: Model<Api> | undefined): string {
  return model === undefined ? '' : `${model.provider}/${model.id}`;
}

/**
 * Sorts the providers: the current one first, then those with a key, the demo, and the rest. The demo is left out when
 * another provider has a key, unless the demo is in use or the typed text names it.
 */
export function sorted(all: readonly Group[], current: Model<Api> | undefined, namesDemo: boolean): readonly Group[] {
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

/** Rows for the models of each provider, without the favorites, which come before them. */
export function itemsOf(groups: readonly Group[], parts: RowParts): readonly ModelItem[] {
  return groups.flatMap(group => [
    { label: headingOf(group, parts), kind: vscode.QuickPickItemKind.Separator },
    ...group.models.flatMap(model => (parts.favorites.has(nameOfModel(model)) ? [] : [itemFor(model, group, parts)])),
    ...(parts.local.has(group.provider) ? [] : askItems(group)),
  ]);
}

/** Rows for the models that can be used now, and one row for the rest, which the filter never hides. */
export function usableItems(groups: readonly Group[], parts: RowParts): readonly ModelItem[] {
  const isUsable = ({ hasKey, provider }: Group): boolean => hasKey || provider === parts.current?.provider;
  const rest = groups.filter(group => !isUsable(group));
  const add = { label: `$(server) ${vscode.l10n.t('Add Model Server…')}`, addsServer: true as const };
  const items = [
    ...itemsOf(groups.filter(isUsable), parts),
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    add,
  ];
  if (rest.length === 0) return items;
  const count = rest.reduce((sum, { models }) => sum + models.length, 0);
  const label =
    count === 1
      ? vscode.l10n.t('Show 1 model that needs a key or a login…')
      : vscode.l10n.t('Show {0} models that need a key or a login…', count);
  const description =
    rest.length === 1 ? vscode.l10n.t('of 1 provider') : vscode.l10n.t('of {0} providers', rest.length);
  return [...items, { label: `$(key) ${label}`, description, isRest: true, alwaysShow: true }];
}

/** Rows for the models of the setting `enabledModels`, which come first, as in pi. */
export function scopeItems({ models, warnings }: ModelScope, parts: RowParts): ModelItem[] {
  if (models.length === 0 && warnings.length === 0) return [];
  return [
    { label: vscode.l10n.t('enabledModels of the settings'), kind: vscode.QuickPickItemKind.Separator },
    ...models.map(({ model }) => itemFor(model, { hasKey: true }, parts)),
    ...warnings.map(({ message }) => ({ label: `$(warning) ${message}` })),
  ];
}

export function favoriteItems(groups: readonly Group[], parts: RowParts): ModelItem[] {
  const rows = groups.flatMap(group =>
    group.models.flatMap(model => (parts.favorites.has(nameOfModel(model)) ? [itemFor(model, group, parts)] : [])),
  );
  if (rows.length === 0) return [];
  return [{ label: vscode.l10n.t('Favorites'), kind: vscode.QuickPickItemKind.Separator }, ...rows];
}

function askItems({ provider, models, hasKey }: Group): ModelItem[] {
  const [first] = models;
  if (!hasKey || first === undefined || !canListModels(first)) return [];
  const label = `$(cloud-download) ${vscode.l10n.t('Ask {0} which models it offers now', provider)}`;
  return [{ label, ask: provider }];
}

/** The row comes after all models that the filter leaves. */
export function unlistedItems(unlisted: NonNullable<ModelItem['unlisted']>): readonly ModelItem[] {
  const { provider, id } = unlisted;
  const label = `$(add) ${vscode.l10n.t('Use {0} of {1}, which is not listed', id, provider)}`;
  return [
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    { label, unlisted, alwaysShow: true },
  ];
}

function headingOf({ provider, hasKey }: Group, { models, local }: RowParts): string {
  if (provider === DEMO) return vscode.l10n.t('demo: needs no key and no network, for trying things out');
  if (provider === EDITOR_PROVIDER) return vscode.l10n.t('{0}: models of VS Code, need no key here', provider);
  if (local.has(provider)) {
    const at = local.listedAt(provider);
    const name = models.getProviderDisplayName(provider);
    if (at === undefined) return vscode.l10n.t('{0} on this machine: does not answer now', name);
    return vscode.l10n.t('{0} on this machine, list of {1}', name, timeOf(at));
  }
  const access = hasKey ? vscode.l10n.t('{0}: key known', provider) : vscode.l10n.t('{0}: no key yet', provider);
  const listed = models.listedFrom(provider);
  if (listed === undefined) return access;
  return listed.source === 'file'
    ? vscode.l10n.t('{0}, models.json of {1}', access, dateOf(listed.at))
    : vscode.l10n.t('{0}, its own list of {1}', access, timeOf(listed.at));
}

/** @param at in ms since 1970 */
export function dateOf(at: number): string {
  return new Date(at).toLocaleDateString(vscode.env.language, { dateStyle: 'medium' });
}

function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString(vscode.env.language, { timeStyle: 'short' });
}

/** Adds a model to the favorites, or removes it. */
export function starButton(isFavorite: boolean): vscode.QuickInputButton {
  return isFavorite
    ? { iconPath: new vscode.ThemeIcon('star-full'), tooltip: vscode.l10n.t('Remove from Favorites') }
    : { iconPath: new vscode.ThemeIcon('star-empty'), tooltip: vscode.l10n.t('Add to Favorites') };
}

function itemFor(model: Model<Api>, group: Pick<Group, 'hasKey'>, { current, favorites }: RowParts): ModelItem {
  const inUse = model.provider === current?.provider && model.id === current.id;
  const icon = inUse ? '$(check)' : group.hasKey ? '$(blank)' : '$(key)';
  const name = nameOfModel(model);
  const description = isProviderDefault(model) ? vscode.l10n.t('{0} · the default of its provider', name) : name;
  const buttons = [starButton(favorites.has(name))];
  return { label: `${icon} ${model.name}`, description, detail: modelFacts(model), buttons, model };
}

export async function groupByProvider(models: ModelSource): Promise<Group[]> {
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
