import type { Api, Model } from '@mariozechner/pi-ai';
import * as vscode from 'vscode';
import { EDITOR_PROVIDER } from '../../agent/models/editor-models';
import type { Conversation } from '../../conversation/conversation';
import type { ModelSource } from '../../conversation/ports';

const DEMO = 'demo';

/** Of the providers without a key, those that most people have one for come first. */
const USUAL = ['anthropic', 'openai', 'google'];

/** Asks the person for a key or a login of a provider; resolves true when there is one now. */
export type AskForAccess = (provider: string) => Promise<boolean>;

type ModelItem = vscode.QuickPickItem & { readonly model?: Model<Api> };

/** One provider's models and whether a request to them could be made. */
interface Group {
  readonly provider: string;
  readonly models: readonly Model<Api>[];
  readonly hasKey: boolean;
}

/**
 * Lets the person choose a model; one whose key is missing is chosen after the key was given. While the list is open,
 * models that come or go appear in it and vanish from it.
 */
export async function pickModel(
  conversation: Conversation,
  models: ModelSource,
  { ask, search = '' }: { readonly ask: AskForAccess; readonly search?: string | undefined },
): Promise<void> {
  const pick = vscode.window.createQuickPick<ModelItem>();
  pick.title = vscode.l10n.t('Choose a model');
  pick.placeholder = vscode.l10n.t('Type a name or a provider');
  pick.value = search;
  pick.matchOnDescription = true;
  pick.keepScrollPosition = true;
  const show = async (): Promise<void> => {
    const items = itemsFor(await groupByProvider(models), conversation.state.model);
    const at = nameOf(pick.activeItems[0]?.model ?? conversation.state.model);
    pick.items = items;
    const active = items.find(item => item.model !== undefined && nameOf(item.model) === at);
    if (active !== undefined) pick.activeItems = [active];
  };
  const changes = models.onDidChange?.(() => void show());
  try {
    const chosen = await new Promise<Model<Api> | undefined>((resolve, reject) => {
      pick.onDidAccept(() => resolve(pick.selectedItems[0]?.model));
      pick.onDidHide(() => resolve(undefined));
      pick.show();
      show().catch(reject);
    });
    pick.hide();
    if (chosen !== undefined) await useModel(conversation, chosen, ask);
  } finally {
    changes?.dispose();
    pick.dispose();
  }
}

function nameOf(model: Model<Api> | undefined): string {
  return model === undefined ? '' : `${model.provider}/${model.id}`;
}

async function useModel(conversation: Conversation, model: Model<Api>, ask: AskForAccess): Promise<void> {
  if (await conversation.models.set(model)) return;
  if (!(await ask(model.provider))) {
    const text = vscode.l10n.t('{0} was not chosen: no API key is known for {1}.', model.name, model.provider);
    void vscode.window.showInformationMessage(text);
    return;
  }
  await conversation.models.set(model);
}

/** The provider in use first, then those that can be used at once, the demo where there is none of these, and the rest. */
function itemsFor(all: readonly Group[], current: Model<Api> | undefined): ModelItem[] {
  const hasOther = all.some(({ provider, hasKey }) => hasKey && provider !== DEMO);
  const groups = all.filter(({ provider }) => provider !== DEMO || !hasOther || current?.provider === DEMO);
  const rank = (group: Group): number => {
    if (group.provider === current?.provider) return 0;
    if (group.provider === DEMO) return 2;
    if (group.hasKey) return 1;
    const usual = USUAL.indexOf(group.provider);
    return usual < 0 ? 3 + USUAL.length : 3 + usual;
  };
  const sorted = [...groups].sort((a, b) => rank(a) - rank(b) || a.provider.localeCompare(b.provider));
  return sorted.flatMap(group => [
    { label: headingOf(group), kind: vscode.QuickPickItemKind.Separator },
    ...group.models.map(model => itemFor(model, group, current)),
  ]);
}

function headingOf({ provider, hasKey }: Group): string {
  if (provider === DEMO) return vscode.l10n.t('demo: needs no key and no network, for trying things out');
  if (provider === EDITOR_PROVIDER) return vscode.l10n.t('{0}: models of VS Code, need no key here', provider);
  return hasKey ? vscode.l10n.t('{0}: key known', provider) : vscode.l10n.t('{0}: no key yet', provider);
}

function itemFor(model: Model<Api>, group: Group, current: Model<Api> | undefined): ModelItem {
  const inUse = model.provider === current?.provider && model.id === current.id;
  const icon = inUse ? '$(check)' : group.hasKey ? '$(blank)' : '$(key)';
  return { label: `${icon} ${model.name}`, description: `${model.provider}/${model.id}`, model };
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

/** Lets the person choose how much the model thinks. */
export async function pickThinkingLevel(conversation: Conversation): Promise<void> {
  const { thinkingLevels, thinkingLevel, model } = conversation.status.current;
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
