import '../localise';
import './tree.css';
import { readHostToTree } from '../../src/protocol/session-tree-validate';
import type { TreeToHost } from '../../src/protocol/session-tree';
import { TreePage } from './tree-page';

interface VsCodeApi {
  postMessage(message: TreeToHost): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

const api = acquireVsCodeApi();
const root = document.querySelector<HTMLElement>('#app') ?? document.body;
root.dataset['hookline'] = 'tree';
const page = new TreePage(root, message => {
  api.postMessage(message);
});
window.addEventListener('message', event => {
  const message = readHostToTree(event.data);
  if (message !== undefined) page.receive(message);
});
page.start();
