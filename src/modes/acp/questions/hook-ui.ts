import { visibleText } from '../../../base/text/visible-text';
import { noUi, type HookUIContext } from '../../../hook-contract/ui/ui';
import type { SessionClient } from '../client';
import type { AcpQuestionsParts } from './acp-questions';

/** What hooks put on the screen besides questions and notices, with the fields of RPC mode. */
const SHOWN = '_hookline/ui';

/**
 * The UI of hooks in one session; `ask` handles questions. The protocol has notices and titles. Status texts, widgets and the
 * text of the composer are sent only to a client that says `_meta.hookline` in its capabilities; for others, as for all else,
 * the answers are those without a UI.
 */
export function acpHookUi(
  ask: HookUIContext['ask'],
  { client, say }: Pick<AcpQuestionsParts, 'client' | 'say'>,
): HookUIContext {
  return {
    ...noUi,
    ...(client.capabilities._meta?.['hookline'] == null ? {} : shownBy(client)),
    ask,
    notify: (message, level, { hookPath }) => say(level, visibleText(message), hookPath),
    setTitle: title => {
      client.update({ sessionUpdate: 'session_info_update', title: title === '' ? null : visibleText(title) });
    },
  };
}

function shownBy(client: SessionClient): Partial<HookUIContext> {
  const show = (shown: { readonly method: string } & Readonly<Record<string, unknown>>): void => {
    client.notify(SHOWN, { sessionId: client.sessionId, ...shown });
  };
  const setEditorText = (text: string): void => show({ method: 'set_editor_text', text });
  return {
    setStatus: (statusKey, statusText) => show({ method: 'setStatus', statusKey, statusText }),
    setWidget: (widgetKey, content, widgetPlacement) => {
      // A component cannot be sent as lines.
      if (content !== undefined && !Array.isArray(content)) return;
      show({ method: 'setWidget', widgetKey, widgetLines: content, widgetPlacement });
    },
    setEditorText,
    pasteToEditor: setEditorText,
  };
}
