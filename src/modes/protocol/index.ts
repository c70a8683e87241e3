import { older } from './older';
import type { Protocol, ProtocolVersion } from './protocol';
import { today } from './today';

export { PROTOCOL_VERSIONS, type Protocol, type ProtocolVersion } from './protocol';

const PROTOCOLS: Readonly<Record<ProtocolVersion, Protocol>> = { '1.5': today, '0.73': older };

export function protocolOf(version: ProtocolVersion): Protocol {
  return PROTOCOLS[version];
}
