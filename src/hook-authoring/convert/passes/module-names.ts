import { AGENT, AGENT_CORE } from '../pass';

/** The modules of older dialects and forks, with their present names. */
const MODULES: readonly (readonly [RegExp, string])[] = [
  [/^@(?:mariozechner|oh-my-pi|gsd|earendil-works)\/pi-coding-agent(?:\/hooks|\/extensibility\/hooks)?$/, AGENT],
  [/^@(?:mariozechner|oh-my-pi|gsd)\/(?=(?:pi-ai|pi-tui|pi-agent-core)(?:\/|$))/, '@earendil-works/'],
  [/^@sinclair\/typebox(?=$|\/value$)/, 'typebox'],
];

/** Old name of an export -> its newest name. */
export const NAMES: Readonly<Record<string, string>> = {
  HookAPI: 'ExtensionAPI',
  HookFactory: 'ExtensionFactory',
  HookContext: 'ExtensionContext',
  HookEventContext: 'ExtensionContext',
  HookCommandContext: 'ExtensionCommandContext',
  V2CommandContext: 'ExtensionCommandContext',
  HookUIContext: 'ExtensionUIContext',
  HookMessageRenderer: 'MessageRenderer',
  HookMessage: 'CustomMessage',
  AppMessage: 'AgentMessage',
  messageTransformer: 'convertToLlm',
  SessionBeforeBranchEvent: 'SessionBeforeForkEvent',
  SessionBeforeNewEvent: 'SessionBeforeSwitchEvent',
  SessionSwitchEvent: 'SessionStartEvent',
  SessionNewEvent: 'SessionStartEvent',
  SessionBranchEvent: 'SessionStartEvent',
  SessionForkEvent: 'SessionStartEvent',
  SessionBeforeBranchResult: 'SessionBeforeForkResult',
};

/** Types that are now in another module -> that module. */
export const ELSEWHERE: Readonly<Record<string, string>> = { AgentMessage: AGENT_CORE };

/** Matches the module pi-tui of each name that it had. */
export const TUI_NAME = /^@[\w-]+\/pi-tui$/;

/** The present name of a module; undefined for modules that never were pi's, and for those with a present name. */
export function moduleNow(specifier: string): string | undefined {
  const found = MODULES.find(([pattern]) => pattern.test(specifier));
  return found === undefined ? undefined : specifier.replace(found[0], found[1]);
}
