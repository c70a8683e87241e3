import '../localise';
import './replay.css';
import type { ReplayToHost } from '../../src/protocol/replay';
import { readHostToReplay } from '../../src/protocol/replay-validate';
import { ReplayPage } from './replay-page';

interface VsCodeApi {
  postMessage(message: ReplayToHost): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

const api = acquireVsCodeApi();
const root = document.querySelector<HTMLElement>('#app') ?? document.body;
root.dataset['hookline'] = 'replay';
const page = new ReplayPage(root, message => {
  api.postMessage(message);
});
window.addEventListener('message', event => {
  const message = readHostToReplay(event.data);
  if (message !== undefined) page.receive(message);
});
page.start();
