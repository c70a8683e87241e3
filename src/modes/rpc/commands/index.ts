import type { ProtocolVersion } from '../../protocol';
import type { RpcCommands } from './command';
import { older } from './older';
import { today } from './today';

export type { Answering, RpcCommands, RpcContext } from './command';

const COMMANDS: Readonly<Record<ProtocolVersion, RpcCommands>> = { '1.5': today, '0.73': older };

export function commandsOf(version: ProtocolVersion): RpcCommands {
  return COMMANDS[version];
}
