import * as l10n from '@vscode/l10n';
import { waysToSetKey } from '../../agent/models/keys/missing-key';
import { messageOf } from '../../base/errors';
import type { ReadAccess } from '../../agent/session/file/access';
import type { Notice, SessionEvents } from '../ports/session-events';
import type { SessionState } from './session-state';
import type { ModelSource } from '../ports/ports';

/** Why a prompt is not sent, with what the user can do about it. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';

  constructor(
    message: string,
    readonly more: Omit<Notice, 'level' | 'text'> | undefined,
  ) {
    super(message);
  }
}

/** Tells the user about a refusal. */
export function showRefusal({ message, more }: RefusedError, events: SessionEvents): void {
  events.notice('error', message, more);
}

/** The refusal for a session that can only be read, with the reason. */
export function readOnlyRefusal({ cause, reason }: ReadAccess): RefusedError {
  const more = { actions: [{ label: l10n.t('Take Over'), command: 'takeOverSession' }] } as const;
  return cause === 'locked'
    ? new RefusedError(l10n.t('This session can only be read here: another window or program has it open.'), more)
    : new RefusedError(l10n.t('This session can only be read: {0}', reason), more);
}

/** Rejects with the refusal if what begins now could not be recorded, because another has the session by now. */
export async function refuseUnrecordable({ store }: Pick<SessionState, 'store'>): Promise<void> {
  const access = await store.confirmAccess();
  if (access.kind === 'read') throw readOnlyRefusal(access);
}

/**
 * The reason why a prompt cannot be sent now: a read-only session, or one of {@link modelRefusalOf}. Undefined when
 * there is none.
 */
export async function refusalOf(state: SessionState, models: ModelSource): Promise<RefusedError | undefined> {
  const access = await state.store.confirmAccess();
  return access.kind === 'read' ? readOnlyRefusal(access) : modelRefusalOf(state, models);
}

/** The reason why the model cannot be asked now: none is chosen, it has no key, or keys cannot be read. */
export async function modelRefusalOf(
  { model, modelWasOffered }: Pick<SessionState, 'model' | 'modelWasOffered'>,
  models: ModelSource,
): Promise<RefusedError | undefined> {
  if (model === undefined) {
    return new RefusedError(l10n.t('No model is chosen.'), {
      actions: [{ label: l10n.t('Choose Model'), command: 'pickModel' }],
    });
  }
  try {
    if (await models.hasKey(model)) return undefined;
  } catch (error) {
    return new RefusedError(messageOf(error), undefined);
  }
  if (modelWasOffered && models.find(model.provider, model.id) === undefined) {
    return new RefusedError(l10n.t('{0} ({1}/{2}) is not offered any more.', model.name, model.provider, model.id), {
      detail: l10n.t(
        'The extension or hook that provided this model no longer provides it. Choose another model, or wait until it is offered again.',
      ),
      actions: [{ label: l10n.t('Choose Model'), command: 'pickModel' }],
    });
  }
  const provider = models.getProviderDisplayName(model.provider);
  return new RefusedError(l10n.t('No API key is known for {0}, the provider of {1}.', provider, model.name), {
    detail: l10n.t('To set a key, {0}. Or choose another model.', waysToSetKey(model.provider, models.keyAdvice)),
    actions: [{ label: l10n.t('Set API Key'), command: 'setApiKey' }],
  });
}
