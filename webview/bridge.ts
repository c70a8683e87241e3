import type { HostToWebview, WebviewToHost } from '../src/protocol/messages';
import { readHostMessage } from '../src/protocol/validate';
import { readSavedPage, type SavedPage } from './draft';

/** The page's only way out. */
export interface Bridge {
  send(message: WebviewToHost): void;
  /** Calls back for each message of the host that is one of ours; others are dropped. */
  onMessage(listener: (message: HostToWebview) => void): void;
  /** What an earlier page of this view saved, if anything. */
  load(): SavedPage | undefined;
  save(page: SavedPage): void;
}

interface VsCodeApi {
  postMessage(message: WebviewToHost): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** Takes VS Code's API, which can be had once per page; throws outside of a webview. */
export function createBridge(page: Window): Bridge {
  const api = acquireVsCodeApi();
  return {
    send: message => {
      api.postMessage(message);
    },
    onMessage: listener => {
      page.addEventListener('message', event => {
        const message = readHostMessage(event.data);
        if (message) listener(message);
      });
    },
    load: () => readSavedPage(api.getState()),
    save: saved => {
      api.setState(saved);
    },
  };
}
