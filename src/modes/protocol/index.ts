import { olderProtocol } from './older';
import type { Protocol, ProtocolVersion } from './protocol';
import { todayProtocol } from './today';

export { PROTOCOL_VERSIONS, type Protocol, type ProtocolVersion } from './protocol';

const PROTOCOLS: Readonly<Record<ProtocolVersion, Protocol>> = { '1.5': todayProtocol, '0.73': olderProtocol };

export function protocolOf(version: ProtocolVersion): Protocol {
  return PROTOCOLS[version];
}
