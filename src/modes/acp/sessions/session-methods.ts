import { invalidParams } from '../connection/acp-error';
import { onNotification, onRequest, type Answered, type SessionMethods } from '../connection/methods';
import { promptContent } from '../prompt-content';
import {
  ListSessionsParams,
  NewSessionParams,
  OpenSessionParams,
  PromptParams,
  SessionParams,
  SetModeParams,
  SetOptionParams,
  type PromptBlock,
} from '../schema';
import { requireAbsolute } from '../require-folder';
import type { AcpSession } from './acp-session';
import { AcpSessions, type AcpSessionsParts } from './acp-sessions';
import { configOptionsOf, setConfigOption } from './config-options';
import type { TurnInput } from './turns';

/** The methods of the protocol that are about sessions. */
export function createSessionMethods(parts: AcpSessionsParts): SessionMethods {
  const sessions = new AcpSessions(parts);
  return {
    requests: {
      'session/new': onRequest(NewSessionParams, async params => opened(await sessions.create(params))),
      'session/load': onRequest(OpenSessionParams, async (params, signal) => {
        const session = await sessions.reopen(params.sessionId, params);
        await session.replay(signal);
        if (signal.aborted && !session.isAnnounced) await sessions.close(session.id);
        signal.throwIfAborted();
        return reopened(session);
      }),
      'session/resume': onRequest(OpenSessionParams, async params =>
        reopened(await sessions.reopen(params.sessionId, params)),
      ),
      'session/fork': onRequest(OpenSessionParams, async params =>
        opened(await sessions.fork(params.sessionId, params)),
      ),
      'session/list': onRequest(ListSessionsParams, async params => {
        if (params.cwd != null) requireAbsolute('cwd', params.cwd);
        return { result: await parts.stored.list(params) };
      }),
      'session/close': onRequest(SessionParams, async ({ sessionId }) => {
        await sessions.close(sessions.find(sessionId).id);
        return { result: {} };
      }),
      'session/delete': onRequest(SessionParams, async ({ sessionId }) => {
        await sessions.delete(sessionId);
        return { result: {} };
      }),
      'session/prompt': onRequest(PromptParams, async ({ sessionId, prompt }, signal) => {
        const session = sessions.find(sessionId);
        return { result: { stopReason: await session.prompt(inputIn(prompt, session), signal) } };
      }),
      '_session/steering': onRequest(PromptParams, async ({ sessionId, prompt }) => {
        const session = sessions.find(sessionId);
        const outcome = await session.turns.steer(inputIn(prompt, session));
        return { result: outcome === 'injected' ? { outcome } : { outcome, reason: 'noRunningTurn' } };
      }),
      'session/set_mode': onRequest(SetModeParams, async ({ sessionId, modeId }) => {
        await setConfigOption(sessions.find(sessionId).conversation, 'mode', modeId);
        return { result: {} };
      }),
      'session/set_config_option': onRequest(SetOptionParams, async ({ sessionId, configId, value }) => {
        const { conversation } = sessions.find(sessionId);
        await setConfigOption(conversation, configId, value);
        return { result: { configOptions: configOptionsOf(conversation) } };
      }),
    },
    notifications: {
      'session/cancel': onNotification(SessionParams, ({ sessionId }) => sessions.cancel(sessionId)),
    },
    restoreGlobals: () => sessions.restoreGlobals(),
    dispose: () => sessions.dispose(),
  };
}

function opened(session: AcpSession): Answered {
  return { result: { sessionId: session.id, ...session.answer }, after: () => session.announce() };
}

function reopened(session: AcpSession): Answered {
  return { result: session.answer, after: () => session.announce() };
}

/** @throws {AcpError} `-32602` that names the block which cannot be sent */
function inputIn(prompt: readonly PromptBlock[], { conversation }: AcpSession): TurnInput {
  const read = promptContent(prompt, conversation.ports.cwd);
  if (!read.ok) throw invalidParams(read.problems[0]?.message ?? 'prompt: It cannot be sent.');
  return read.value;
}
