import './localise';
import './chat.css';
import { createBridge } from './bridge';
import { defineElements } from './elements';
import { ChatPage } from './view/chat';

defineElements(customElements);
const root = document.querySelector<HTMLElement>('[data-hookline="chat"], #app') ?? document.createElement('div');
root.dataset['hookline'] = 'chat';
if (!root.isConnected) document.body.append(root);
new ChatPage(root, createBridge(window)).start();
