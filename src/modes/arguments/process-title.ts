const KEY_FLAG = '--api-key';
const HIDDEN = '[hidden]';

/**
 * The command line with the values of `--api-key` replaced, for the list of processes, where every user of the computer could
 * read them; undefined if there is none.
 */
export function titleWithoutKeys(argv: readonly string[]): string | undefined {
  const isKey = (index: number): boolean => argv[index - 1] === KEY_FLAG;
  const shown = argv.map((word, index) => {
    if (isKey(index)) return HIDDEN;
    return word.startsWith(`${KEY_FLAG}=`) ? `${KEY_FLAG}=${HIDDEN}` : word;
  });
  return shown.every((word, index) => word === argv[index]) ? undefined : shown.join(' ');
}
