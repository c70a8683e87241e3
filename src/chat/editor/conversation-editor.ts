import * as l10n from '@vscode/l10n';
import type { DialogOrigin, NoticeLevel } from '../../hook-contract/ui/ui';
import type { EditorPort } from './editor-port';

export interface ConversationEditorParts {
  readonly id: string;
  readonly base: EditorPort;
  /** The side bar shows the conversation. */
  readonly isShown: () => boolean;
  /** The user works with the conversation. */
  readonly isActive: () => boolean;
  /** The side bar or a visible tab shows the conversation. */
  readonly isSeen: () => boolean;
  /** What a user calls the conversation, when there is more than one. */
  readonly name: () => string | undefined;
}

/**
 * The editor as one of several conversations has it: the side bar's title and the status texts show only while they are this
 * conversation's, and what reaches the user from elsewhere names it.
 */
export class ConversationEditor {
  private title = '';
  private statuses: readonly string[] = [];
  /** Everything else goes straight to the editor. */
  readonly port: EditorPort;

  constructor(private readonly parts: ConversationEditorParts) {
    const own: Partial<EditorPort> = {
      setTitle: title => {
        this.title = title;
        if (parts.isShown()) parts.base.setTitle(title);
      },
      setHookStatus: texts => {
        this.statuses = texts;
        if (parts.isActive()) parts.base.setHookStatus(texts);
      },
      notify: (message, level, origin) => this.notify(message, level, origin),
      revealChat: () => parts.isActive() && parts.base.revealChat(parts.id),
      offerConversation: () => parts.base.offerConversation(parts.id, parts.name()),
    };
    this.port = Object.assign(Object.create(parts.base) as EditorPort, own);
  }

  /** The side bar shows the conversation now, and takes its title. */
  shown(): void {
    this.parts.base.setTitle(this.title);
  }

  /** The user works with the conversation now: the status bar takes its texts. */
  activated(): void {
    this.parts.base.setHookStatus(this.statuses);
  }

  private notify(message: string, level: NoticeLevel, origin: DialogOrigin): void {
    const { base, isSeen, name } = this.parts;
    const where = isSeen() ? undefined : name();
    base.notify(where === undefined ? message : l10n.t('{0} (in “{1}”)', message, where), level, origin);
  }
}
