/** Hosts of this machine as `URL.hostname` writes them, without names that a DNS server could lead elsewhere. */
const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Whether an address (a URL, or the text of one) is `localhost`, `127.0.0.1` or `[::1]`. Any other text is not. */
export function isOnThisMachine(address: URL | string): boolean {
  return LOOPBACK.includes(parsed(address)?.hostname ?? '');
}

/**
 * Names the server of an address by scheme, host and port, the same for all names of this machine. Undefined for a text that is
 * no address.
 */
export function serverOf(address: URL | string): string | undefined {
  const url = parsed(address);
  if (url === null) return undefined;
  const host = isOnThisMachine(url) ? 'localhost' : url.hostname;
  return `${url.protocol}//${host}:${url.port}`;
}

function parsed(address: URL | string): URL | null {
  return typeof address === 'string' ? URL.parse(address) : address;
}
