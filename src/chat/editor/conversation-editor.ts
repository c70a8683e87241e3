import * as l10n from '@vscode/l10n';
import type { DialogOrigin, NoticeLevel } from '../../hook-contract/ui/ui';
import type { EditorPort } from './editor-port';

export interface ConversationEditorParts {
  readonly id: string;
  readonly base: EditorPort;
  readonly isShown: () => boolean;
  /** What a user calls the conversation, when there is more than one. */
  readonly name: () => string | undefined;
}

/**
 * The editor as one of several conversations has it: what belongs to the window (title, status texts) shows only while
 * the conversation is shown, and what reaches the user from elsewhere names it.
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
        if (parts.isShown()) parts.base.setHookStatus(texts);
      },
      notify: (message, level, origin) => this.notify(message, level, origin),
      revealChat: () => this.reveal(),
    };
    this.port = Object.assign(Object.create(parts.base) as EditorPort, own);
  }

  /** The conversation is shown now: the window takes its title and texts. */
  shown(): void {
    this.parts.base.setTitle(this.title);
    this.parts.base.setHookStatus(this.statuses);
  }

  private notify(message: string, level: NoticeLevel, origin: DialogOrigin): void {
    const { base, isShown, name } = this.parts;
    const where = isShown() ? undefined : name();
    base.notify(where === undefined ? message : l10n.t('{0} (in “{1}”)', message, where), level, origin);
  }

  private reveal(): void {
    const { base, id, isShown, name } = this.parts;
    if (isShown()) base.revealChat();
    else base.offerConversation(id, l10n.t('A hook is waiting for your answer in “{0}”.', name() ?? id));
  }
}
