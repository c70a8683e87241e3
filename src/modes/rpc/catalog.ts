import type { Api, Model } from '@mariozechner/pi-ai';
import type { CommandInfo } from '../../hooks/conversation-port';
import type { HookInfo } from '../../hooks/hook';
import type { Runtime } from '../runtime';

type Source = Pick<Runtime, 'conversation' | 'host' | 'services'>;

/** Models that can be used: those whose provider has a key, or needs none. */
export function availableModels({ services }: Pick<Source, 'services'>): readonly Model<Api>[] {
  return services.models.getAvailable();
}

/** The model after the current one, in order; undefined when there is no other. */
export function nextModel({ services, conversation }: Source): Model<Api> | undefined {
  const models = availableModels({ services });
  const { model: current } = conversation.state;
  const at = models.findIndex(({ provider, id }) => provider === current?.provider && id === current.id);
  const next = models[(at + 1) % models.length];
  return models.length > 1 ? next : undefined;
}

/** Commands that a prompt can begin with, told in the words of pi 0.57 (`path`) and 0.73 (`sourceInfo`) at once. */
export function commandList({ conversation, host }: Source): readonly object[] {
  const origins = new Map(host.infos().map(({ path, origin }) => [path, origin]));
  return conversation.forHooks.commands().map(command => ({ ...command, ...sourceInfo(command, origins) }));
}

function sourceInfo({ path, location }: CommandInfo, origins: ReadonlyMap<string, HookInfo['origin']>): object {
  if (path === undefined) return {};
  return { sourceInfo: { path, source: 'local', scope: scopeOf(origins.get(path), location), origin: 'top-level' } };
}

function scopeOf(origin: HookInfo['origin'] | undefined, location: CommandInfo['location']): string {
  if (origin === 'workspace' || location === 'project') return 'project';
  return origin === 'explicit' || location === 'path' ? 'temporary' : 'user';
}
