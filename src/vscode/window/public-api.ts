import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { ConversationState } from '../../protocol/messages';
import type { HookInfo } from '../../hook-contract/hook-info';
import type { HooklineWindow } from './window';

/** A hook file as other extensions see it. */
export interface PublicHook {
  /** Absolute path of its entry file. */
  readonly path: string;
  readonly state: HookInfo['state']['type'];
  /** Names of the events it handles, as it registered them. */
  readonly events: readonly string[];
  /** Names of the commands it registers, without the slash. */
  readonly commands: readonly string[];
}

/** An open conversation as other extensions see it. */
export interface PublicConversation {
  /** Stays the same until the window is closed. */
  readonly id: string;
  /** Name of its session, or the beginning of its first message; empty for a new one. */
  readonly title: string;
  readonly state: ConversationState;
  /** The chat shows it. */
  readonly shown: boolean;
}

/**
 * What `vscode.extensions.getExtension('hookline.hookline').activate()` resolves with. It only reads the state of the
 * window. Later versions add members and increase `version`. Documented in docs/extension-api.md.
 */
export interface HooklineExports {
  readonly version: 1;
  /** The hooks of this window as they are now; empty until Hookline has loaded them. */
  hooks(): readonly PublicHook[];
  /** The open conversations in their order; empty until Hookline has opened them. */
  conversations(): readonly PublicConversation[];
  /** One of the two lists has changed. */
  readonly onDidChange: vscode.Event<void>;
}

/** Gives other extensions the state of this window; its lists are empty until `follow` is called. */
export class PublicApi implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changeEmitter = this.store.add(new vscode.EventEmitter<void>());
  private window: Pick<HooklineWindow, 'hooks' | 'conversations'> | undefined;

  readonly exports: HooklineExports = Object.freeze({
    version: 1,
    hooks: () => this.window?.hooks.infos().map(publicHook) ?? [],
    conversations: () => this.window?.conversations.tabs.map(tab => ({ ...tab })) ?? [],
    onDidChange: this.changeEmitter.event,
  });

  /** To be called once, when the hooks are loaded and the conversations are open. */
  follow(window: Pick<HooklineWindow, 'hooks' | 'conversations'>): void {
    this.window = window;
    for (const { onDidChange } of [window.hooks, window.conversations]) {
      this.store.add(onDidChange(() => this.changeEmitter.fire()));
    }
    this.changeEmitter.fire();
  }

  dispose(): void {
    this.store.dispose();
  }
}

function publicHook({ path, state, handlers, commands }: HookInfo): PublicHook {
  return {
    path,
    state: state.type,
    events: [...new Set(handlers.map(({ event }) => event))],
    commands: commands.map(({ name }) => name),
  };
}
