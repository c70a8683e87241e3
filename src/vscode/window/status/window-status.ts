import * as vscode from 'vscode';
import type { UnfinishedWrites } from '../../../agent/tools/files/writing/unfinished-writes';
import type { HeldFiles } from '../../../gate/held-changes/held-files';
import { DisposableStore, type Disposable } from '../../../base/disposable';
import type { Event } from '../../../base/event';
import type { Problem } from '../../../base/result';
import type { Chat } from '../../../chat/chat';
import type { Conversations } from '../../../chat/window/conversations';
import type { HookHost } from '../../../hook-run/host/host';
import type { ProjectTrust } from '../../../startup/trust/project-trust';
import type { ChatView } from '../../chat/chat-view';
import { setContextKey } from '../../context-keys';
import { headingOf } from '../../questions/question-words';
import { StandingNotices } from './standing-notices';
import type { WindowUi } from '../window-ui';
import { otherFolders } from '../work-folder';
import { windowNotices } from './window-notices';

/** What `WindowStatus` reads, and where it shows it. */
export interface WindowStatusParts {
  readonly ui: WindowUi;
  readonly view: ChatView;
  readonly conversations: Conversations;
  readonly folder: string | undefined;
  readonly trust: Pick<ProjectTrust, 'current' | 'isTrusted'>;
  readonly hooks: Pick<HookHost, 'infos' | 'differences'>;
  /** Problems of settings, and of the places where Hookline looks for hooks. */
  readonly heldFiles: Pick<HeldFiles, 'held'>;
  readonly unfinishedWrites: Pick<UnfinishedWrites, 'list'>;
  readonly problems: () => readonly Problem[];
  /** Hooks, settings or trust changed. */
  readonly onDidChange: Event<void>;
}

/** Updates the status bar, Problems panel, notices, badge and context keys when something in the window changes. */
export class WindowStatus implements Disposable {
  private readonly store = new DisposableStore();
  private readonly notices: StandingNotices;
  private watched = new DisposableStore();
  private logged: ReadonlySet<string> = new Set();

  constructor(private readonly parts: WindowStatusParts) {
    const { ui, conversations } = parts;
    this.notices = this.store.add(new StandingNotices(conversations));
    this.follow(conversations.active);
    this.store.add(conversations.onDidChangeActive(chat => this.follow(chat)));
    this.store.add(conversations.onDidChange(() => this.showStatus()));
    this.store.add(ui.dialogs.onDidChange(() => this.showQuestion()));
    this.store.add(parts.onDidChange(() => this.showHooks()));
    this.showHooks();
  }

  dispose(): void {
    this.watched.dispose();
    this.store.dispose();
  }

  private follow(chat: Chat): void {
    this.watched.dispose();
    this.watched = new DisposableStore();
    this.watched.add(chat.status.onDidChange(() => this.showStatus()));
    this.showStatus();
  }

  private showStatus(): void {
    const { ui, conversations, trust } = this.parts;
    const status = conversations.active.status.current;
    setContextKey('hookline.running', status.phase.type !== 'idle');
    const others = conversations.tabs.filter(({ id }) => id !== conversations.active.id);
    ui.statusBar.show({ status, others, waiting: ui.dialogs.waiting, trusted: trust.isTrusted });
  }

  private showQuestion(): void {
    const { waiting } = this.parts.ui.dialogs;
    this.parts.view.setBadge(waiting === undefined ? undefined : { value: 1, tooltip: headingOf(waiting) });
    this.showStatus();
  }

  private showHooks(): void {
    const { ui, conversations, folder, trust } = this.parts;
    const hooks = this.parts.hooks.infos();
    const { differences } = this.parts.hooks;
    const problems = this.parts.problems();
    ui.diagnostics.update(hooks, problems);
    const others = otherFolders(ui.workspaceMemory);
    this.notices.show(
      windowNotices({
        ...{ folder, otherFolders: others, trust: trust.current, hooks, differences, problems },
        heldFiles: this.parts.heldFiles.held.map(({ path }) => path),
        unfinishedWrites: this.parts.unfinishedWrites.list.map(({ path }) => path),
      }),
    );
    this.logNew(problems.map(describe));
    conversations.active.status.fire();
  }

  private logNew(problems: readonly string[]): void {
    for (const problem of problems) if (!this.logged.has(problem)) this.parts.ui.log.warn(problem);
    this.logged = new Set(problems);
  }
}

function describe({ file, line, message }: Problem): string {
  if (file === undefined) return message;
  return `${vscode.workspace.asRelativePath(file)}${line === undefined ? '' : `:${line}`}: ${message}`;
}
