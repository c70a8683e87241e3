import { isUtf8 } from 'node:buffer';
import { isCode, messageOf } from '../../../base/errors';
import { readRegular } from '../../../base/files/regular-file';

/**
 * The text of a configuration file; undefined where there is none. A link is followed.
 * @throws Error that names the file, if it cannot be read or is no UTF-8
 */
export async function configurationText(file: string): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readRegular(file);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw new Error(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  // A decoded text that is written back would lose the other bytes.
  if (!isUtf8(bytes)) throw new Error(`${file} cannot be read: it is not UTF-8`);
  return bytes.toString('utf8');
}
