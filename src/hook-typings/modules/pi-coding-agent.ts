export type * from '../types';
export type {
  CommandOptions,
  EntryRenderer,
  EventBus,
  ExtensionAPI,
  ExtensionFactory,
  HookAPI,
  HookCommandOptions,
  HookFactory,
  HookMessageRenderer,
  MarkdownMessageType,
  MarkdownTransformer,
  MessageRenderer,
  SlashCommandInfo,
  ToolRendererResolver,
} from '../api';
export type { KeybindingsManager } from '@mariozechner/pi-tui';
export * from '../ui/components';
export * from '../values';
export * from '../root/agent-session';
export * from '../root/sessions';
export * from '../root/settings';
export * from '../root/values';
// Classes of today; as types they are the same as what a hook is given.
export { SessionManager } from '../root/sessions';
export { Theme } from '../root/values';
