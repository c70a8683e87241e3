import { serverOf } from '../../../base/loopback';
import type { ProviderConfig } from '../provider-config';

/** In place of the key of a server that gets none: clients refuse an empty one. */
export const NO_KEY_NEEDED = 'no-key-needed';

/** A provider that somebody configured, and where its models are. */
export interface ProviderClaim {
  readonly provider: string;
  readonly addresses: readonly string[];
}

/** The claim of a provider as models.json or code describes it. */
export function claimOf(
  provider: string,
  { baseUrl, models = [] }: Pick<ProviderConfig, 'baseUrl' | 'models'>,
): ProviderClaim {
  const given = [baseUrl, ...models.map(model => model.baseUrl)];
  return { provider, addresses: given.filter(address => address !== undefined) };
}

/** Whether a server that was found has the name or the address of a provider that somebody configured; then that one counts. */
export function isClaimed(
  found: { readonly name: string; readonly baseUrl: string },
  claims: readonly ProviderClaim[],
): boolean {
  const server = serverOf(found.baseUrl);
  return claims.some(
    ({ provider, addresses }) => provider === found.name || addresses.some(address => serverOf(address) === server),
  );
}
