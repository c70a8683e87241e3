import type { AuthMethod, InitializeResponse } from '@agentclientprotocol/sdk';
import { COMMAND_LINE_ADVICE } from '../../agent/models/keys/missing-key';
import { keepFitting } from '../../base/json/schema';
import { membersOf } from '../../base/json/is-record';
import { ClientCapabilitiesSchema, type ClientCapabilities } from './schema';

/** The version of the protocol that is spoken, whatever version the client asks for. */
const PROTOCOL_VERSION = 1;

/** The method of `authenticate` that looks for a key or a login. */
export const KEY_METHOD = 'keys';

/** What the client can do. Parts that do not fit are left out: a client cannot do what it does not say properly. */
export function readCapabilities(given: unknown): ClientCapabilities {
  return keepFitting(ClientCapabilitiesSchema, given ?? {}).value ?? {};
}

/** The answer to `initialize`, from Hookline of this version. */
export function initializeAnswer(client: ClientCapabilities, version: string): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'hookline', title: 'Hookline', version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: false },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {}, ...UNSTABLE },
    },
    authMethods: [...(canLogInByTerminal(client) ? [LOG_IN] : []), SET_KEY],
    _meta: { steering: { supported: true } },
  };
}

/** Capabilities of sessions that the stable protocol does not have yet. */
const UNSTABLE = { fork: {} };

/** What users can do so that `authenticate` finds a key or a login. */
export const WAYS_TO_A_KEY = `Set a variable such as ANTHROPIC_API_KEY in the environment of the agent, add a key to auth.json in ~/.pi/agent, or ${COMMAND_LINE_ADVICE.logIn}.`;

/** The client starts its own command line of Hookline with these arguments added. */
const LOG_IN: AuthMethod = {
  type: 'terminal',
  id: 'login',
  name: 'Log in to a provider',
  description: 'Opens a terminal in which you choose a provider and log in.',
  args: ['--login'],
};

const SET_KEY: AuthMethod = {
  id: KEY_METHOD,
  name: 'Use an API key',
  description: WAYS_TO_A_KEY,
};

/** Older clients say so in `_meta`. */
function canLogInByTerminal({ auth, _meta }: ClientCapabilities): boolean {
  return auth?.terminal === true || membersOf(_meta)['terminal-auth'] === true;
}
