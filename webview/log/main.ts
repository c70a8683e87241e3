import '../localise';
import './log.css';
import type { LogFilter, LogToHost } from '../../src/protocol/log';
import { readHostToLog, readLogFilter } from '../../src/protocol/log-validate';
import { LogPage } from './log-page';

interface VsCodeApi {
  postMessage(message: LogToHost): void;
  getState(): unknown;
  setState(state: LogFilter): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

const api = acquireVsCodeApi();
const root = document.querySelector<HTMLElement>('#app') ?? document.body;
root.dataset['hookline'] = 'log';
const page = new LogPage(root, {
  send: message => {
    api.postMessage(message);
  },
  load: () => readLogFilter(api.getState()),
  save: filter => {
    api.setState(filter);
  },
});
window.addEventListener('message', event => {
  const message = readHostToLog(event.data);
  if (message !== undefined) page.receive(message);
});
page.start();
