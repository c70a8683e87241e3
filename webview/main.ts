import './localise';
import './chat.css';
import { readHostMessage } from '../src/protocol/validate';
import { createBridge, pageRoot } from './bridge';
import { readSavedPage } from './draft';
import { defineElements } from './elements';
import { ChatPage } from './view/chat';

defineElements(customElements);
new ChatPage(pageRoot('chat'), createBridge(window, { message: readHostMessage, saved: readSavedPage })).start();
