const ADDRESS = /\b(?:https?|wss?|ftp):\/\/([^\s/'"`<>(){}\\?#|,;]*)/gi;

/**
 * The hosts of the addresses in a text, without users and ports. A NUL stands for a piece that only a run tells: a host
 * with one is `…` there.
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
