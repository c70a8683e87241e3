import * as l10n from '@vscode/l10n';
import { defined } from '../base/defined';
import { isOnThisMachine } from '../base/loopback';
import { clipped } from '../base/text/clipped';
import { visibleLine } from '../base/text/visible-text';
import { unlessAborted } from '../base/async/wait';
import type { FetchLike } from './connection/limited-fetch';
import type { McpCredentials } from './login/mcp-auth-file';
import { McpLoginProvider, registeredWays, type LoginSettings } from './login/login-provider';
import { readCallback, CallbackServer, type CallbackResult } from './login/callback-server';

/** Time limit of one request to an authorization server, in ms. */
const REQUEST_TIMEOUT_MS = 15_000;

/** How the user takes part in a login. */
export interface LoginPrompt {
  /** Opens the page where the user allows the login; called at most once. */
  readonly open: (url: URL) => void;
  /**
   * Asks the user to paste the URL to which a browser on another machine was sent; resolves undefined when the user
   * gives up. Absent when there is no way to paste. `signal` is aborted when the answer is no longer needed.
   */
  readonly pasted?: (signal: AbortSignal) => Promise<string | undefined>;
}

export interface LoginRequest {
  readonly url: string;
  /** See `loginKey`. */
  readonly key: string;
  readonly settings: LoginSettings;
  readonly credentials: McpCredentials;
  /** What the server said about the login when it refused a request. */
  readonly challenge: { readonly resourceMetadataUrl?: URL | undefined; readonly scope?: string | undefined };
  readonly prompt: LoginPrompt;
  readonly signal: AbortSignal;
}

/**
 * Logs in to a server and stores the tokens in `credentials`. If it is enough to refresh tokens, the user is not asked.
 * @throws Error that says why the login failed or that it was aborted
 */
export async function logInToServer(request: LoginRequest): Promise<void> {
  const { url, key, settings, credentials, challenge, prompt, signal } = request;
  const { auth } = await import('./connection/sdk');
  const known = await credentials.load(key);
  const wayBack = await CallbackServer.open(settings, registeredWays(known?.clientInformation));
  try {
    const redirecting = { redirectUrl: wayBack.url, open: (page: URL) => openLoginPage(page, prompt) };
    const provider = new McpLoginProvider({ url, key, settings, credentials, redirecting });
    const { resourceMetadataUrl } = challenge;
    const scope = [settings.scope, challenge.scope].filter(each => each !== undefined).join(' ');
    const options = {
      serverUrl: url,
      fetchFn: timed(signal),
      ...defined({ resourceMetadataUrl }),
      ...(scope === '' ? {} : { scope }),
    };
    if ((await auth(provider, options)) === 'AUTHORIZED') return;
    const returned = await waitForReturn(wayBack, prompt, signal);
    if (returned.type === 'refused') throw new Error(returned.reason);
    if (returned.state !== provider.state()) {
      throw new Error(l10n.t('The browser returned the result of a different login.'));
    }
    await auth(provider, { ...options, authorizationCode: returned.code });
  } finally {
    await wayBack.close();
  }
}

/** @throws Error for an address that would open a file, a program or a page that others on the network can read or change */
function openLoginPage(page: URL, { open }: LoginPrompt): void {
  const isWeb = page.protocol === 'https:' || (page.protocol === 'http:' && isThisComputer(page));
  if (isWeb) {
    open(page);
    return;
  }
  const address = clipped(visibleLine(page.href), 200);
  throw new Error(
    l10n.t('The server gave an address for the login that is neither https nor on this computer: {0}', address),
  );
}

/** Browsers ask no DNS server for names below `localhost`. */
function isThisComputer(page: URL): boolean {
  return isOnThisMachine(page) || page.hostname.endsWith('.localhost');
}

async function waitForReturn(
  wayBack: CallbackServer,
  prompt: LoginPrompt,
  signal: AbortSignal,
): Promise<CallbackResult> {
  const over = new AbortController();
  try {
    const ways = [wayBack.returned];
    if (prompt.pasted !== undefined) ways.push(readPasted(prompt.pasted(AbortSignal.any([over.signal, signal]))));
    return await unlessAborted(Promise.race(ways), signal, () => {
      throw new Error(l10n.t('The login was canceled, or nobody completed it in time.'));
    });
  } finally {
    over.abort();
  }
}

async function readPasted(pasted: Promise<string | undefined>): Promise<CallbackResult> {
  const text = (await pasted)?.trim();
  if (text === undefined || text === '') return { type: 'refused', reason: l10n.t('The login was canceled.') };
  const returned = URL.canParse(text) ? readCallback(new URL(text)) : undefined;
  return returned ?? { type: 'refused', reason: l10n.t('This address does not belong to a login: {0}', text) };
}

function timed(signal: AbortSignal): FetchLike {
  return (url, init) => {
    const limits = [signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS), ...(init?.signal == null ? [] : [init.signal])];
    return fetch(url, { ...init, signal: AbortSignal.any(limits) });
  };
}
