type Guard = (event: { readonly toolName?: unknown }) => boolean;

function names(tool: string): Guard {
  return event => event.toolName === tool;
}

/** The type guards that hooks import; each compares `toolName`. */
export const GUARDS = {
  isBashToolResult: names('bash'),
  isPowerShellToolResult: names('powershell'),
  isReadToolResult: names('read'),
  isEditToolResult: names('edit'),
  isWriteToolResult: names('write'),
  isGrepToolResult: names('grep'),
  isFindToolResult: names('find'),
  isLsToolResult: names('ls'),
  isToolCallEventType: (tool: string, event: { readonly toolName?: unknown }): boolean => event.toolName === tool,
};
