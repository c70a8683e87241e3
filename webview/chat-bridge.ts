import type { HostToWebview, WebviewToHost } from '../src/protocol/messages';
import type { Bridge } from './bridge';
import type { SavedPage } from './draft';

/** The chat page's way out. */
export type ChatBridge = Bridge<HostToWebview, WebviewToHost, SavedPage>;
