export type * from '../types';
export type {
  CommandOptions,
  EventBus,
  ExtensionAPI,
  ExtensionFactory,
  HookAPI,
  HookCommandOptions,
  HookFactory,
  HookMessageRenderer,
  MessageRenderer,
  SendMessageOptions,
  SlashCommandInfo,
} from '../api';
export * from '../components';
export * from '../values';
