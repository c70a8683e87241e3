import { join } from 'node:path';
import * as vscode from 'vscode';
import type { ModelEntry } from '../../agent/models/files/models-schema';
import { addProvider, providerNames } from '../../agent/models/files/write-models';
import { knownProvider } from '../../agent/models/keys/provider-names';
import type { ModelRegistry } from '../../agent/models/registry';
import { findServer, type FoundServer, type MissingServer } from '../../agent/models/servers/find-server';
import { NO_KEY_NEEDED } from '../../agent/models/servers/found-servers';
import { SERVER_COMPAT } from '../../agent/models/servers/local-servers';
import { modelFacts } from '../../agent/models/choice/model-facts';
import type { KeyStore } from '../login/api-keys';
import { literalMessage } from '../message-text';

/** How long a server may take to answer, in ms. */
const LIMIT_MS = 15_000;

export interface AddServerParts {
  readonly models: Pick<ModelRegistry, 'nameUse' | 'reload'>;
  readonly keys: Pick<KeyStore, 'set'>;
  /** Absolute path of the user's agent folder. */
  readonly agentDir: string;
}

/** A server that answered, and the key that it wanted. */
interface Answered {
  readonly server: FoundServer;
  readonly key: string | undefined;
}

/**
 * Asks for the address of a server of models, asks the server what it offers, shows that, and adds what the user chose to
 * models.json. A key is stored only in VS Code's secret storage.
 * @throws Error that names models.json, which is then not changed
 */
export async function addModelServer(parts: AddServerParts): Promise<void> {
  const file = join(parts.agentDir, 'models.json');
  // A broken file is told before anything is typed.
  const taken = await providerNames(file);
  const answered = await askForAnswer();
  if (answered === undefined) return;
  const { server, key } = answered;
  const chosen = await chooseModels(server);
  if (chosen === undefined || chosen.length === 0) return;
  const inFile = new Set(taken.map(knownProvider));
  const name = await askForName(server, async typed =>
    inFile.has(knownProvider(typed)) ? 'provider' : parts.models.nameUse(typed),
  );
  if (name === undefined) return;
  const { baseUrl } = server;
  const access = key === undefined ? { apiKey: NO_KEY_NEEDED } : {};
  await addProvider(file, name, {
    ...{ name: server.name, baseUrl, api: 'openai-completions' },
    ...access,
    compat: SERVER_COMPAT,
    models: chosen,
  });
  if (key !== undefined) await parts.keys.set(name, key);
  await parts.models.reload({ allowNetwork: false });
  void tellAdded(file, name, chosen.length);
}

async function askForAnswer(): Promise<Answered | undefined> {
  let typed = '';
  for (;;) {
    const address = await askForAddress(typed);
    if (address === undefined) return undefined;
    typed = address;
    const answer = await askWithKey(address);
    if (answer === undefined) return undefined;
    if (answer.server.type === 'found') return { server: answer.server, key: answer.key };
    const again = vscode.l10n.t('Try Another Address');
    const text = failureText(answer.server);
    if ((await vscode.window.showWarningMessage(literalMessage(text), again)) !== again) return undefined;
  }
}

/** Undefined when the user cancels. */
async function askWithKey(
  address: string,
): Promise<{ readonly server: FoundServer | MissingServer; readonly key: string | undefined } | undefined> {
  let key: string | undefined;
  for (;;) {
    const server = await askShowing(address, key);
    if (server?.type !== 'failed' || server.why !== 'unauthorized') return server && { server, key };
    const typed = await askForKey(address, key !== undefined);
    if (typed === undefined) return undefined;
    key = typed;
  }
}

/** Undefined when the user cancels. */
async function askShowing(address: string, key: string | undefined): Promise<FoundServer | MissingServer | undefined> {
  const title = vscode.l10n.t('Asking {0} for its models', address);
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, async (_progress, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    const server = await findServer(address, { key, limitMs: LIMIT_MS, signal: abort.signal });
    return abort.signal.aborted ? undefined : server;
  });
}

async function askForAddress(before: string): Promise<string | undefined> {
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('Add a model server'),
    prompt: vscode.l10n.t(
      'The address of Ollama, LM Studio, llama.cpp, vLLM, or another server with the API of OpenAI',
    ),
    placeHolder: 'http://192.168.0.10:11434',
    value: before,
    ignoreFocusOut: true,
    validateInput: text =>
      text.trim() === '' || addressIn(text) !== undefined
        ? undefined
        : vscode.l10n.t('This must be an http or https address without a password in it.'),
  });
  return typed === undefined ? undefined : addressIn(typed);
}

/** Without `http://`, that is meant. */
function addressIn(typed: string): string | undefined {
  const text = typed.trim();
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || text === '' || !/^https?:$/.test(url.protocol) || url.hostname === '') return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

async function askForKey(address: string, isRefused: boolean): Promise<string | undefined> {
  const stored = vscode.l10n.t("Stored in VS Code's secret storage, not in models.json.");
  const refused = vscode.l10n.t('The server refused this key.');
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('API key for {0}', address),
    prompt: isRefused ? `${refused} ${stored}` : stored,
    password: true,
    ignoreFocusOut: true,
    validateInput: key => (key.trim() === '' ? vscode.l10n.t('Type or paste the key.') : undefined),
  });
  const key = typed?.trim() ?? '';
  return key === '' ? undefined : key;
}

async function chooseModels({ name, baseUrl, models }: FoundServer): Promise<readonly ModelEntry[] | undefined> {
  const title =
    models.length === 1
      ? vscode.l10n.t('{0} at {1} offers 1 model', name, baseUrl)
      : vscode.l10n.t('{0} at {1} offers {2} models', name, baseUrl, models.length);
  if (models.length === 0) {
    void vscode.window.showWarningMessage(literalMessage(title));
    return undefined;
  }
  const items = models.map(model => ({ label: model.id, description: factsOf(model), picked: true, model }));
  const placeHolder = vscode.l10n.t('Which models should be added to models.json?');
  const chosen = await vscode.window.showQuickPick(items, {
    title,
    placeHolder,
    canPickMany: true,
    ignoreFocusOut: true,
  });
  return chosen?.map(({ model }) => model);
}

function factsOf({ contextWindow = 0, reasoning = false, input = ['text'] }: ModelEntry): string {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return modelFacts({ cost, contextWindow, reasoning, input });
}

/** A name with a key is refused: the key is for another server, and would be sent to this one. */
async function askForName(server: FoundServer, useOf: ModelRegistry['nameUse']): Promise<string | undefined> {
  const { hostname } = new URL(server.baseUrl);
  const base = server.kind === 'openai' ? hostname.replaceAll(/[^\w.-]/g, '') || 'server' : server.kind;
  let value = base;
  for (let count = 2; (await useOf(value)) !== 'free'; count += 1) value = `${base}-${count}`;
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('Add a model server'),
    prompt: vscode.l10n.t('Name of the provider, as in name/model'),
    value,
    ignoreFocusOut: true,
    validateInput: async typed => {
      if (!/^[a-z\d][\w.-]*$/i.test(typed.trim())) {
        return vscode.l10n.t('A name begins with a letter or digit, and has letters, digits, ".", "_" and "-" only.');
      }
      switch (await useOf(typed.trim())) {
        case 'provider':
          return vscode.l10n.t('There already is a provider of this name.');
        case 'key':
          return vscode.l10n.t('A key is stored under this name. It would be sent to this server.');
        case 'free':
          return undefined;
      }
    },
  });
  return name?.trim();
}

function failureText({ why, detail, address }: MissingServer): string {
  switch (why) {
    case 'refused':
      return vscode.l10n.t('Nothing listens at {0}. Is the server running? ({1})', address, detail);
    case 'timeout':
      return vscode.l10n.t('{0} gave no answer in time: {1}', address, detail);
    case 'tls':
      return vscode.l10n.t('There is no secure connection to {0}: {1}', address, detail);
    case 'redirect':
      return vscode.l10n.t('{0} leads elsewhere, which Hookline does not follow: {1}', address, detail);
    case 'page':
      return vscode.l10n.t('{0} answers with a web page, and not with a list of models: {1}', address, detail);
    case 'too-large':
      return vscode.l10n.t('The answer of {0} is too large: {1}', address, detail);
    case 'unauthorized':
    case 'other':
      return vscode.l10n.t('{0} did not list its models: {1}', address, detail);
  }
}

async function tellAdded(file: string, name: string, count: number): Promise<void> {
  const choose = vscode.l10n.t('Choose Model');
  const open = vscode.l10n.t('Open models.json');
  const text =
    count === 1
      ? vscode.l10n.t('1 model of {0} was added to models.json.', name)
      : vscode.l10n.t('{0} models of {1} were added to models.json.', count, name);
  const answer = await vscode.window.showInformationMessage(literalMessage(text), choose, open);
  if (answer === choose) await vscode.commands.executeCommand('hookline.chooseModel', `${name}/`);
  if (answer === open) await vscode.window.showTextDocument(vscode.Uri.file(file));
}
