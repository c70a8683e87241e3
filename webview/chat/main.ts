import '../localize';
import './chat.css';
import { readHostMessage } from '../../src/protocol/messages';
import { createBridge, pageRoot } from '../bridge';
import { readSavedPage } from './draft-keeper';
import { defineElements } from './custom-elements';
import { ChatPage } from './chat-page';

defineElements(customElements);
new ChatPage(pageRoot('chat'), createBridge(window, { message: readHostMessage, saved: readSavedPage })).start();
