/** Whether the network may be used only when the user asks for it (`PI_OFFLINE`, as in pi). */
export function isOffline(env: NodeJS.ProcessEnv): boolean {
  return /^(1|true|yes)$/i.test(env['PI_OFFLINE'] ?? '');
}
