import type {
  AuthEvent,
  AuthPrompt,
  ModelAuth,
  OAuthAuth,
  OAuthCredential,
  OAuthCredentials,
  OAuthLoginCallbacks,
  ProviderAuthInteraction,
} from '@mariozechner/pi-ai';
import { loadProviders } from '../pi-ai';
import type { OAuthProvider } from './oauth-provider';
import { defined } from '../../../base/defined';

/** A login of pi-ai's own, which may also say where and with which headers requests go. */
export interface BuiltInLogin extends OAuthProvider {
  toAuth(credentials: OAuthCredentials): Promise<ModelAuth>;
}

/** The logins of pi-ai's providers, except those without models. */
export async function builtInLogins(): Promise<readonly BuiltInLogin[]> {
  const { builtinProviders } = await loadProviders();
  return builtinProviders().flatMap(provider => {
    const { oauth } = provider.auth;
    return oauth === undefined || provider.getModels().length === 0 ? [] : [loginOf(provider.id, oauth)];
  });
}

/** A login of pi-ai's providers in the older form of logins. */
export function loginOf(id: string, oauth: OAuthAuth): BuiltInLogin {
  const never = new AbortController().signal;
  return {
    id,
    name: oauth.name,
    login: callbacks => oauth.login(interactionOf(callbacks)),
    refreshToken: (credentials, signal = never) => oauth.refresh(typed(credentials), signal),
    getApiKey: ({ access }) => access,
    toAuth: credentials => oauth.toAuth(typed(credentials)),
  };
}

function typed(credentials: OAuthCredentials): OAuthCredential {
  return { ...credentials, type: 'oauth' };
}

/** The questions of pi-ai's logins, asked through the callbacks that hooks and dialogs know. */
function interactionOf(callbacks: OAuthLoginCallbacks): ProviderAuthInteraction {
  return {
    signal: callbacks.signal ?? new AbortController().signal,
    prompt: prompt => unlessWithdrawn(answer(prompt, callbacks), prompt.signal),
    notify: event => forwardEvent(event, callbacks),
  };
}

async function answer(prompt: AuthPrompt, callbacks: OAuthLoginCallbacks): Promise<string> {
  const { message } = prompt;
  switch (prompt.type) {
    case 'select': {
      const options = prompt.options.map(({ id, label }) => ({ id, label }));
      const chosen = await callbacks.onSelect({ message, options });
      if (chosen === undefined) throw new Error('Login cancelled');
      return chosen;
    }
    case 'manual_code':
      if (callbacks.onManualCodeInput !== undefined) return callbacks.onManualCodeInput();
      return callbacks.onPrompt({ message, ...defined({ placeholder: prompt.placeholder }) });
    case 'text':
    case 'secret':
      return callbacks.onPrompt({
        message,
        allowEmpty: prompt.type === 'text',
        ...defined({ placeholder: prompt.placeholder }),
      });
  }
}

/** If the login no longer needs a question, it ends at once. The caller's box closes with the login. */
function unlessWithdrawn(answer: Promise<string>, signal: AbortSignal | undefined): Promise<string> {
  if (signal === undefined) return answer;
  return new Promise((resolve, reject) => {
    const withdraw = (): void => reject(new Error('Login prompt was withdrawn'));
    if (signal.aborted) withdraw();
    signal.addEventListener('abort', withdraw, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', withdraw));
  });
}

function forwardEvent(event: AuthEvent, callbacks: OAuthLoginCallbacks): void {
  switch (event.type) {
    case 'auth_url':
      callbacks.onAuth({
        url: event.url,
        ...defined({ instructions: event.instructions }),
      });
      break;
    case 'device_code': {
      const { userCode, verificationUri, intervalSeconds, expiresInSeconds } = event;
      callbacks.onDeviceCode({
        userCode,
        verificationUri,
        ...defined({ intervalSeconds, expiresInSeconds }),
      });
      break;
    }
    case 'info':
    case 'progress':
      callbacks.onProgress?.(event.message);
  }
}
