import * as vscode from 'vscode';
import { keyVariables } from '../../agent/models/keys/missing-key';
import type { ModelRegistry } from '../../agent/models/registry';

/** Where typed keys are stored; `SecretKeys` implements it. `list` names the providers that have a key. */
export interface KeyStore {
  set(provider: string, key: string): Promise<void>;
  delete(provider: string): Promise<void>;
  list(): Promise<readonly string[]>;
}

/** The providers that can be chosen, and their display names. */
type ProviderNames = Pick<ModelRegistry, 'getAll' | 'getProviderDisplayName'>;

/**
 * Asks for a provider when none is given, then for its key. Resolves with the provider whose key was saved, or undefined
 * when the user cancels. `suggested` is listed first.
 */
export async function setApiKey(
  keys: KeyStore,
  models: ProviderNames,
  given: { readonly provider?: string | undefined; readonly suggested?: string | undefined },
): Promise<string | undefined> {
  const provider = given.provider ?? (await pickProvider(keys, models, given.suggested));
  if (provider === undefined) return undefined;
  return (await askForKey(provider, models.getProviderDisplayName(provider), keys)) ? provider : undefined;
}

/** Tells the user that a key of a provider, by its id and its display name, was saved and which model the conversation uses, and offers to choose another model. */
export async function notifyKeySaved(provider: string, name: string, inUse: string | undefined): Promise<void> {
  const saved = vscode.l10n.t('The API key for {0} was saved.', name);
  const used = inUse === undefined ? '' : vscode.l10n.t('This conversation uses {0}.', inUse);
  const choose = vscode.l10n.t('Choose Model');
  const answer = await vscode.window.showInformationMessage([saved, used].join(' ').trim(), choose);
  if (answer === choose) void vscode.commands.executeCommand('hookline.chooseModel', `${provider}/`);
}

/** Asks for the key of one provider, whose display name is `name`, and saves it. Resolves with false when the user cancels. */
export async function askForKey(provider: string, name: string, keys: KeyStore): Promise<boolean> {
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('API key for {0}', name),
    prompt: vscode.l10n.t("Stored in VS Code's secret storage, not in this folder."),
    password: true,
    ignoreFocusOut: true,
    validateInput: key => (key.trim() === '' ? vscode.l10n.t('Type or paste the key.') : undefined),
  });
  const key = typed?.trim() ?? '';
  if (key === '') return false;
  await keys.set(provider, key);
  return true;
}

/** Lets the user choose one of the saved keys and deletes it. */
export async function removeApiKey(
  keys: KeyStore,
  models: Pick<ProviderNames, 'getProviderDisplayName'>,
): Promise<void> {
  const providers = await keys.list();
  if (providers.length === 0) {
    const text = vscode.l10n.t(
      'No API key is saved in VS Code. To remove a key from the environment or from auth.json, remove it there.',
    );
    void vscode.window.showInformationMessage(text);
    return;
  }
  const items = providers.map(id => itemFor(id, models.getProviderDisplayName(id)));
  const provider = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Remove an API key'),
    placeHolder: vscode.l10n.t('Keys saved in VS Code'),
    matchOnDescription: true,
  });
  if (provider === undefined) return;
  await keys.delete(provider.id);
  void vscode.window.showInformationMessage(vscode.l10n.t('The API key for {0} was removed.', provider.label));
}

/** A provider by its display name, with its id where that is another word. */
function itemFor(id: string, name: string): vscode.QuickPickItem & { readonly id: string } {
  return { id, label: name, description: name === id ? '' : id };
}

async function pickProvider(
  keys: KeyStore,
  models: ProviderNames,
  suggested: string | undefined,
): Promise<string | undefined> {
  const saved = new Set(await keys.list());
  const ids = [...new Set(models.getAll().map(model => model.provider))].filter(id => id !== 'demo');
  const named = ids.map(id => ({ id, name: models.getProviderDisplayName(id) }));
  named.sort((a, b) => Number(b.id === suggested) - Number(a.id === suggested) || a.name.localeCompare(b.name));
  const items = named.map(({ id, name }) => ({
    ...itemFor(id, name),
    description: [...(name === id ? [] : [id]), ...(saved.has(id) ? [vscode.l10n.t('saved in VS Code')] : [])].join(
      ' · ',
    ),
    detail: variablesOf(id),
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Set an API key'),
    placeHolder: vscode.l10n.t('Which provider do you want to set a key for?'),
    matchOnDescription: true,
  });
  return chosen?.id;
}

function variablesOf(provider: string): string {
  const names = keyVariables(provider);
  return names.length === 0 ? '' : vscode.l10n.t('also read from {0}', names.join(', '));
}
