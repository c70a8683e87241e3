import { PAGE_ACTIVITY } from '../src/protocol/page-activity';
import { reportActivity } from './activity';

/** The only connection of a page to its host. `In` are messages of the host, `Out` are messages of the page. */
export interface Bridge<In, Out, Saved = never> {
  send(message: Out): void;
  /** Calls back for each valid message of the host; other messages are ignored. */
  onMessage(listener: (message: In) => void): void;
  /** What an earlier page of this view saved; undefined when there is nothing valid. */
  load(): Saved | undefined;
  save(saved: Saved): void;
}

/** Parsers for what comes in. They return undefined for a value that is not valid. */
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

/** Connects a page to its host. VS Code allows this once per page. Throws outside of a webview. */
export function createBridge<In, Out, Saved = never>(page: Window, read: Readers<In, Saved>): Bridge<In, Out, Saved> {
  const api = acquireVsCodeApi();
  const activity = reportActivity(page, () => api.postMessage(PAGE_ACTIVITY));
  return {
    send: message => {
      activity.flush();
      api.postMessage(message);
    },
    onMessage: listener =>
      page.addEventListener('message', event => {
        const message = read.message(event.data);
        if (message !== undefined) listener(message);
      }),
    load: () => read.saved?.(api.getState()),
    save: saved => api.setState(saved),
  };
}

/** The element that a page is drawn into. Its name is for styles and tests. */
export function pageRoot(name: 'chat' | 'log' | 'replay' | 'tree'): HTMLElement {
  const root = document.querySelector<HTMLElement>(`[data-hookline="${name}"], #app`) ?? document.createElement('div');
  root.dataset['hookline'] = name;
  if (!root.isConnected) document.body.append(root);
  return root;
}
