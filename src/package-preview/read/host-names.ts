const ADDRESS = /\b(?:https?|wss?|ftp):\/\/([^\s/'"`<>(){}\\?#|,;]*)/gi;

/**
 * Finds the hosts of the addresses in a text, without users and ports. In the text, a NUL character marks a part that
 * is known only at run time; in the host, it becomes `…`.
 */
export function hostsIn(text: string): readonly string[] {
  const found = [...text.matchAll(ADDRESS)].map(([, authority = '']) => {
    const host = authority.split('@').at(-1) ?? '';
    return host
      .replaceAll('\0', '…')
      .replace(/:(?:\d+|…)$/, '')
      .replace(/[.:]+$/, '')
      .toLowerCase();
  });
  return [...new Set(found)].filter(host => /^(?:[\w…-]+(?:\.[\w…-]+)*|\[[\da-f:]+\])$/.test(host) && host !== '…');
}
