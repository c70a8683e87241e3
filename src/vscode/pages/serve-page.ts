import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { DisposableStore } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import { isPageActivity } from '../../protocol/page-activity';
import type { Quiet } from '../quiet';
import { failureHtml, pageHtml } from './page-html';

/** Receives the messages of a page. It must check them. */
export type Receive = (message: unknown) => void;

/** What all pages need of the window. */
export interface PageSurroundings {
  readonly extensionUri: vscode.Uri;
  readonly log: Log;
  /** Is told when the user presses a key in the page. */
  readonly quiet: Quiet;
}

export interface ServedPage extends PageSurroundings {
  /** Name of the page's script and style sheet in `dist/webview`, without `.js` and `.css`. */
  readonly bundle: 'main' | 'log' | 'replay' | 'tree';
  /** The heading above the error when `connect` rejects. */
  readonly failure: string;
  /** Starts what the page needs. Undefined when the page was removed in the meantime. */
  readonly connect: () => Promise<Receive | undefined>;
}

/** Shows one of our pages in a webview until `owned` is disposed. When `connect` rejects, the page shows the error. */
export function servePage(webview: vscode.Webview, owned: DisposableStore, page: ServedPage): void {
  const { extensionUri, bundle } = page;
  const root = vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
  webview.options = { enableScripts: true, localResourceRoots: [root] };
  // Collects messages until the page is connected, because the page may be faster.
  const waiting: unknown[] = [];
  let receive: Receive = message => void waiting.push(message);
  owned.add(
    webview.onDidReceiveMessage(message => {
      if (isPageActivity(message)) page.quiet.note();
      else receive(message);
    }),
  );
  const resource = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(root, name)).toString();
  webview.html = pageHtml({
    script: resource(`${bundle}.js`),
    style: resource(`${bundle}.css`),
    cspSource: webview.cspSource,
    nonce: randomBytes(16).toString('base64url'),
    language: vscode.env.language,
    messages: vscode.l10n.bundle,
  });
  void connected(webview, owned, page).then(connection => {
    if (connection === undefined) return;
    receive = connection;
    for (const message of waiting.splice(0)) connection(message);
  });
}

async function connected(
  webview: vscode.Webview,
  owned: DisposableStore,
  { bundle, connect, failure, log }: ServedPage,
): Promise<Receive | undefined> {
  try {
    return await connect();
  } catch (error) {
    log.error(`The page "${bundle}" could not be connected: ${messageOf(error)}`, error);
    if (!owned.isDisposed) webview.html = failureHtml(failure, messageOf(error));
    return undefined;
  }
}
