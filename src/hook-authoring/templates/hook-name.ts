const LONGEST = 60;
/** Names that Windows reserves for devices, also with a file extension. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/**
 * Says, for the user, why this cannot be the name of a new hook file (without `.ts`); undefined when it can. `isTaken`
 * returns whether a file with that name exists.
 */
export function hookNameProblem(name: string, isTaken: (name: string) => boolean): string | undefined {
  if (name === '') return 'A name is needed.';
  if (name.length > LONGEST) return `The name has more than ${LONGEST} letters.`;
  if (!/^[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*$/u.test(name)) {
    return 'A name can have only letters, digits, hyphens, underscores and single dots.';
  }
  if (/\.d$/i.test(name)) return 'Files that end in .d.ts are declarations and are never loaded.';
  if (DEVICES.test(name.split('.')[0] ?? '')) return `"${name}" is not a valid file name on Windows.`;
  if (isTaken(name)) return `${name}.ts already exists and is not overwritten.`;
  return undefined;
}

/** Returns the wanted name, or, if it is taken, the name with the lowest number from 2 that makes it free. */
export function freeHookName(wanted: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(wanted)) return wanted;
  for (let number = 2; ; number++) if (!isTaken(`${wanted}-${number}`)) return `${wanted}-${number}`;
}
