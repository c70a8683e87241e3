import * as l10n from '@vscode/l10n';
import type { HookError } from '../../hook-contract/record';
import { hookRef } from '../../transcript/hook-ref';
import type { ChatModel } from '../model/chat-model';
import { defined } from '../../base/defined';

/** Shows in a conversation what a hook threw, with the place it was thrown at. */
export function showHookError(chat: ChatModel, error: HookError): void {
  const { file, line, column } = error;
  const place = defined({ line, column });
  chat.notice(
    'error',
    l10n.t('Hook "{0}" error in {1}: {2}', hookRef(error.hookPath).name, error.event, error.message),
    {
      hook: hookRef(error.hookPath, line),
      ...defined({ detail: error.stack }),
      ...(file === undefined ? {} : { file: { path: file, ...place } }),
    },
  );
}
