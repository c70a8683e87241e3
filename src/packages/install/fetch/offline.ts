/** Whether nothing may be asked of the network by itself (`PI_OFFLINE`, as pi reads it). */
export function isOffline(env: NodeJS.ProcessEnv): boolean {
  return /^(1|true|yes)$/i.test(env['PI_OFFLINE'] ?? '');
}
