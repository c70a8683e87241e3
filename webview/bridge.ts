/** A page's only way out; `In` and `Out` are the messages of its host and its own. */
export interface Bridge<In, Out, Saved = never> {
  send(message: Out): void;
  /** Calls back for each message of the host that is one of ours; others are dropped. */
  onMessage(listener: (message: In) => void): void;
  /** What an earlier page of this view saved, if anything. */
  load(): Saved | undefined;
  save(saved: Saved): void;
}

/** What comes in, parsed; undefined for what is none of ours. */
export interface Readers<In, Saved> {
  readonly message: (value: unknown) => In | undefined;
  readonly saved?: (value: unknown) => Saved | undefined;
}

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** Takes VS Code's API, which can be had once per page; throws outside of a webview. */
export function createBridge<In, Out, Saved = never>(page: Window, read: Readers<In, Saved>): Bridge<In, Out, Saved> {
  const api = acquireVsCodeApi();
  return {
    send: message => api.postMessage(message),
    onMessage: listener =>
      page.addEventListener('message', event => {
        const message = read.message(event.data);
        if (message !== undefined) listener(message);
      }),
    load: () => read.saved?.(api.getState()),
    save: saved => api.setState(saved),
  };
}

/** The element that a page is drawn into, named for its styles and for tests. */
export function pageRoot(name: 'chat' | 'log' | 'replay' | 'tree'): HTMLElement {
  const root = document.querySelector<HTMLElement>(`[data-hookline="${name}"], #app`) ?? document.createElement('div');
  root.dataset['hookline'] = name;
  if (!root.isConnected) document.body.append(root);
  return root;
}
