const ADDRESS = /\b(?:https?|wss?|ftp):\/\/([^\s/'"`<>(){}\\?#|,;]*)/gi;

const HOST = /^(?:[\w…-]+(?:\.[\w…-]+)*|\[[\da-f:]+\])$/;

/**
 * Finds the hosts of the addresses in a text, without users and ports, each with the place of its first address. In the
 * text, a NUL character marks a part that is known only at run time; in the host, it becomes `…`.
 */
export function hostsIn(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { 1: authority = '', index } of text.matchAll(ADDRESS)) {
    const host = (authority.split('@').at(-1) ?? '')
      .replaceAll('\0', '…')
      .replace(/:(?:\d+|…)$/, '')
      .replace(/[.:]+$/, '')
      .toLowerCase();
    if (!found.has(host) && HOST.test(host) && host !== '…') found.set(host, index);
  }
  return found;
}
