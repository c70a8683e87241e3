import * as vscode from 'vscode';
import type { AuthStorageView } from '../../agent/models/auth-storage-view';
import { askForKey, type KeyStore } from './api-keys';
import { logIn } from './login';

/** Asks for a key of a provider, or for a login where it has one; resolves true when there is one now. */
export async function askForAccess(provider: string, keys: KeyStore, auth: AuthStorageView): Promise<boolean> {
  if (!auth.getOAuthProviders().some(({ id }) => id === provider)) return askForKey(provider, keys);
  const byLogin = { label: `$(sign-in) ${vscode.l10n.t('Log in with an account')}`, isLogin: true };
  const byKey = { label: `$(key) ${vscode.l10n.t('Set an API key')}`, isLogin: false };
  const chosen = await vscode.window.showQuickPick([byLogin, byKey], {
    title: vscode.l10n.t('How do you use {0}?', provider),
    ignoreFocusOut: true,
  });
  if (chosen === undefined) return false;
  return chosen.isLogin ? logIn({ auth }, provider) : askForKey(provider, keys);
}
