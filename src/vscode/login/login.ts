import * as vscode from 'vscode';
import type { AuthStorageView } from '../../agent/models/keys/auth-storage-view';
import type { LoginProvider } from '../../agent/models/keys/oauth';
import type { ModelRegistry } from '../../agent/models/registry';
import { messageOf } from '../../base/errors';
import { unlessAborted } from '../../base/async/wait';
import { askForKey, type KeyStore } from './api-keys';
import { LoginCancelled, LoginDialogs, type LoginParts } from './login-dialogs';

/** What the login commands need. Tests pass their own `openExternal`; absent: VS Code's. */
export interface LoginCommandParts {
  readonly auth: AuthStorageView;
  readonly openExternal?: LoginParts['openExternal'];
}

/** The logins that wait for the user, by the id of the provider. */
const openLogins = new Map<string, AbortController>();

/**
 * Logs in to a provider and stores its tokens in auth.json as pi does. Asks for the provider when none is given. Another
 * login to the same provider cancels this one. Resolves with true when the user is logged in, and with false when the login
 * was canceled, which stores nothing. Rejects with an error that names the provider when the login fails.
 */
export async function logInToProvider({ auth, openExternal }: LoginCommandParts, given?: string): Promise<boolean> {
  const provider = await chosenProvider(auth, given);
  if (provider === undefined) return false;
  const { id, name } = provider;
  const done = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Log in to {0}', name), cancellable: true },
    async (progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      openLogins.get(id)?.abort();
      openLogins.set(id, abort);
      try {
        return await login(auth, id, {
          name,
          progress,
          signal: abort.signal,
          openExternal: openExternal ?? (uri => vscode.env.openExternal(uri)),
        });
      } finally {
        if (openLogins.get(id) === abort) openLogins.delete(id);
      }
    },
  );
  if (done) void vscode.window.showInformationMessage(vscode.l10n.t('You are logged in to {0}.', name));
  return done;
}

async function login(auth: AuthStorageView, id: string, parts: LoginParts): Promise<boolean> {
  const dialogs = new LoginDialogs(parts);
  try {
    // After an abort, this does not wait for a login that ignores the signal. Its later result is not stored.
    return await unlessAborted(
      auth.login(id, dialogs.callbacks).then(() => true),
      parts.signal,
      () => false,
    );
  } catch (error) {
    if (error instanceof LoginCancelled || parts.signal.aborted) return false;
    const text = vscode.l10n.t('The login to {0} failed: {1}', parts.name, messageOf(error));
    throw new Error(text, { cause: error });
  } finally {
    dialogs.dispose();
  }
}

async function chosenProvider(auth: AuthStorageView, given: string | undefined): Promise<LoginProvider | undefined> {
  const providers = auth.getOAuthProviders();
  if (given !== undefined) {
    const provider = providers.find(({ id }) => id === given);
    if (provider === undefined) throw new Error(vscode.l10n.t('"{0}" has no login.', given));
    return provider;
  }
  const items = providers.map(provider => ({
    label: provider.name,
    description: isLoggedIn(auth, provider.id) ? vscode.l10n.t('{0}, logged in', provider.id) : provider.id,
    provider,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Log in'),
    placeHolder: vscode.l10n.t('Which provider do you want to log in to?'),
    matchOnDescription: true,
  });
  return chosen?.provider;
}

/**
 * Removes the tokens of a login from auth.json. Asks for the provider when none is given. API keys of the provider stay.
 * Rejects when the user is not logged in to the given provider.
 */
export async function logOut({ auth }: LoginCommandParts, given?: string): Promise<void> {
  const names = new Map(auth.getOAuthProviders().map(({ id, name }) => [id, name]));
  const known = auth.list().filter(id => isLoggedIn(auth, id));
  if (known.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('You are not logged in to any provider.'));
    return;
  }
  if (given !== undefined && !known.includes(given)) {
    throw new Error(vscode.l10n.t('You are not logged in to {0}.', names.get(given) ?? given));
  }
  const items = known.map(id => ({ label: names.get(id) ?? id, description: id, id }));
  const id =
    given ??
    (
      await vscode.window.showQuickPick(items, {
        title: vscode.l10n.t('Log out'),
        placeHolder: vscode.l10n.t('Its tokens are removed from auth.json of the agent folder'),
      })
    )?.id;
  if (id === undefined) return;
  await auth.logout(id);
  void vscode.window.showInformationMessage(vscode.l10n.t('You are logged out of {0}.', names.get(id) ?? id));
}

function isLoggedIn(auth: AuthStorageView, provider: string): boolean {
  return auth.get(provider)?.type === 'oauth';
}

/**
 * Asks the user for a provider's key or, when the provider offers a login, for a key or a login. Resolves with true when
 * there is one now. Rejects when the login fails.
 */
export async function askForAccess(
  provider: string,
  keys: KeyStore,
  models: Pick<ModelRegistry, 'authStorage' | 'getProviderDisplayName'>,
): Promise<boolean> {
  const { authStorage: auth } = models;
  const name = models.getProviderDisplayName(provider);
  if (!auth.getOAuthProviders().some(({ id }) => id === provider)) return askForKey(provider, name, keys);
  const byLogin = { label: `$(sign-in) ${vscode.l10n.t('Log in with an account')}`, isLogin: true };
  const byKey = { label: `$(key) ${vscode.l10n.t('Set an API key')}`, isLogin: false };
  const chosen = await vscode.window.showQuickPick([byLogin, byKey], {
    title: vscode.l10n.t('How do you use {0}?', name),
    ignoreFocusOut: true,
  });
  if (chosen === undefined) return false;
  return chosen.isLogin ? logInToProvider({ auth }, provider) : askForKey(provider, name, keys);
}
