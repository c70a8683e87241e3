import type { Api, Model } from '@mariozechner/pi-ai';
import * as vscode from 'vscode';
import { EDITOR_API, EDITOR_PROVIDER, nameEditorModels, type EditorModel } from '../../agent/models/editor-models';
import { loadPiAi, type PiAi } from '../../agent/models/pi-ai';
import type { ModelRegistry } from '../../agent/models/registry';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import { editorStream } from './editor-stream';

/** The name under which the registry records who registered these models. */
const SOURCE = 'vscode.lm';

interface ListedModel extends EditorModel {
  readonly chat: vscode.LanguageModelChat;
}

/**
 * Registers the models that VS Code offers, for example those of Copilot, as provider `vscode-lm`, and updates it while
 * they change. They need no key. Without models there is no such provider.
 */
export class EditorModels implements Disposable {
  private readonly store = new DisposableStore();
  private chats: ReadonlyMap<string, vscode.LanguageModelChat> = new Map();
  private round = 0;

  /** Starts to list the models in the background, so that nothing waits for them. */
  constructor(
    private readonly models: ModelRegistry,
    private readonly log: Log,
  ) {
    this.store.add(vscode.lm.onDidChangeChatModels(() => void this.refresh()));
    void this.refresh();
  }

  dispose(): void {
    this.store.dispose();
    this.models.unregisterSource(SOURCE);
  }

  private async refresh(): Promise<void> {
    this.round += 1;
    const { round } = this;
    try {
      const [piAi, offered] = await Promise.all([loadPiAi(), vscode.lm.selectChatModels({})]);
      // When several refreshes overlap, only the last one is used.
      if (round === this.round && !this.store.isDisposed) this.register(piAi, offered);
    } catch (error) {
      this.log.error(`The models of VS Code cannot be listed: ${messageOf(error)}`, error);
    }
  }

  private register(piAi: PiAi, offered: readonly vscode.LanguageModelChat[]): void {
    const named = nameEditorModels(offered.map(listed));
    this.chats = new Map(named.map(({ entry, model }) => [entry.id, model.chat]));
    if (named.length === 0) {
      this.models.unregisterProvider(EDITOR_PROVIDER, SOURCE);
      return;
    }
    const streamSimple = editorStream(piAi, (model: Model<Api>) => this.chats.get(model.id));
    const entries = named.map(({ entry }) => entry);
    // Messages about failed requests show `baseUrl`.
    const config = { api: EDITOR_API, baseUrl: 'vscode.lm', streamSimple, models: entries };
    this.models.registerProvider(EDITOR_PROVIDER, config, SOURCE);
  }
}

function listed(chat: vscode.LanguageModelChat): ListedModel {
  const { id, vendor, family, name, maxInputTokens } = chat;
  return { id, vendor, family, name, maxInputTokens, seesImages: seesImages(chat), chat };
}

/** Reads `capabilities`, which VS Code has but its stable types do not. A model without it gets no images. */
function seesImages(chat: object): boolean {
  const capabilities: unknown = 'capabilities' in chat ? chat.capabilities : undefined;
  if (typeof capabilities !== 'object' || capabilities === null) return false;
  return 'supportsImageToText' in capabilities && capabilities.supportsImageToText === true;
}
