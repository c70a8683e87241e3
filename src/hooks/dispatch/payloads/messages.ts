import type { AgentMessage } from '../../../agent/messages';
import { copyMessage, copyMessages } from '../copy';
import type { LoadedHook } from '../../loaded-hook';

/** Copies for one hook, with custom messages under the role its dialect knows (docs/dialects.md, C20). */
export function messagesFor(hook: LoadedHook, messages: readonly AgentMessage[]): AgentMessage[] {
  const copies = copyMessages(messages);
  if (hook.dialect.customRole !== 'custom') for (const copy of copies) renameRole(copy, hook);
  return copies;
}

/** See {@link messagesFor}. */
export function messageFor<M extends AgentMessage>(hook: LoadedHook, message: M): M {
  const copy = copyMessage(message);
  renameRole(copy, hook);
  return copy;
}

function renameRole(copy: AgentMessage, hook: LoadedHook): void {
  if (copy.role === 'custom') Reflect.set(copy, 'role', hook.dialect.customRole);
}
