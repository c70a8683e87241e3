import { randomUUID } from 'node:crypto';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { hideSecrets } from '../../../base/text/redact';
import { visibleText } from '../../../base/text/visible-text';
import type { NoticeLevel } from '../../../hook-contract/ui/ui';
import { hookRef } from '../../../transcript/hook-ref';
import type { SessionClient } from '../client';

/** Tells the user something that is no part of an answer. `hook`: absolute path of the hook that it comes from. */
export type Say = (level: NoticeLevel, text: string, hook?: string) => void;

/**
 * How users of this client are told: by a notice where the client shows such, else by a message of its own that begins
 * with "Hookline:". Secrets are taken out, and hidden characters are marked. Each call tells once: callers make sure that a text has one source.
 */
export function sayTo(client: Pick<SessionClient, 'capabilities' | 'update'>): Say {
  return (level, text, hook) => {
    const words = visibleText(hideSecrets(hook === undefined ? text : withHook(text, hookRef(hook).name)));
    if (client.capabilities.session?.notices == null) client.update(textNotice(words));
    else client.update(notice(level, words));
  };
}

/** A text of Hookline as a message of its own. Clients that join all texts still show it apart from what follows. */
export function textNotice(text: string): SessionUpdate {
  const content = { type: 'text', text: `Hookline: ${text}\n\n` } as const;
  return { sessionUpdate: 'agent_message_chunk', messageId: randomUUID(), content };
}

function notice(severity: NoticeLevel, text: string): SessionUpdate {
  const [title = '', ...others] = text.trim().split('\n');
  const description = others.join('\n').trim();
  return { sessionUpdate: 'notice', severity, title, ...(description === '' ? {} : { description }) };
}

/** Many texts name their hook already. */
function withHook(text: string, name: string): string {
  return text.includes(name) ? text : `${name}: ${text}`;
}
