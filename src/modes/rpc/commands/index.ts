import type { ProtocolVersion } from '../../protocol';
import type { RpcCommands } from './command';
import { olderCommands } from './older';
import { todayCommands } from './today';

export type { Answering, RpcCommands, RpcContext } from './command';

const COMMANDS: Readonly<Record<ProtocolVersion, RpcCommands>> = { '1.5': todayCommands, '0.73': olderCommands };

export function commandsOf(version: ProtocolVersion): RpcCommands {
  return COMMANDS[version];
}
