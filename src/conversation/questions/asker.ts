import * as l10n from '@vscode/l10n';
import type { HookQuestion } from '../../hooks/api/ui/ui';
import type { HookRef } from '../../protocol/chat-item';
import { hookRef } from '../hook-ref';

/** Who asks, as the user reads it: a hook that does not run asks nothing, and one that is tried asks about nothing real. */
export function askerOf({ hookPath }: HookQuestion['origin'], instead: HookQuestion['instead']): HookRef {
  const hook = hookRef(hookPath);
  switch (instead) {
    case 'missing-guard':
      return { ...hook, name: 'Hookline' };
    case 'dry-fire':
      return { ...hook, name: l10n.t('Test of {0}', hook.name) };
    case undefined:
      return hook;
  }
}
