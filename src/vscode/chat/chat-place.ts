import type * as vscode from 'vscode';
import type { DisposableStore } from '../../base/disposable';
import type { PageConnection } from '../../chat/page/page-connection';
import type { HostToWebview } from '../../protocol/messages';
import type { Receive } from '../pages/serve-page';

/** Where a chat page is: the view in the side bar, or an editor tab. */
export interface ChatPlace {
  readonly webview: vscode.Webview;
  readonly isVisible: () => boolean;
  readonly onDidChangeVisibility: vscode.Event<unknown>;
}

/**
 * Connects the page of a place. VS Code discards a hidden page, so it gets nothing while it is hidden. It asks for a snapshot
 * when it is shown again, so it misses nothing. The connection ends with `owned`.
 */
export function connectPlace(
  { webview, isVisible, onDidChangeVisibility }: ChatPlace,
  owned: DisposableStore,
  connect: (post: (message: HostToWebview) => void) => PageConnection,
): { readonly connection: PageConnection; readonly receive: Receive } {
  const connection = connect(message => {
    if (!owned.isDisposed && isVisible()) void webview.postMessage(message);
  });
  owned.add(connection);
  const endIfHidden = (): void => {
    if (!isVisible()) connection.hidden();
  };
  owned.add(onDidChangeVisibility(endIfHidden));
  const receive: Receive = message => {
    connection.receive(message);
    // A page that was hidden while it was connected has asked for a snapshot that it does not get.
    endIfHidden();
  };
  return { connection, receive };
}
