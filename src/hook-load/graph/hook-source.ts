import { isUtf8 } from 'node:buffer';
import { readRegularSync } from '../../base/files/regular-file';
import { hashOf } from '../../base/files/hash-of';

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/**
 * One file that a hook consists of, as it was when it was read. A hook whose code was compiled before needs no text of
 * its files. So the bytes are kept, outside of V8's heap, and become a text when somebody asks for it.
 */
export class HookSource {
  /** sha256 of the text, hexadecimal. */
  readonly hash: string;

  /** `bytes`: UTF-8, which nobody changes afterwards. */
  constructor(
    /** Absolute. */
    readonly path: string,
    private readonly bytes: Buffer,
  ) {
    // The text of wrong UTF-8 has other bytes.
    this.hash = hashOf(isUtf8(bytes) ? bytes : this.text);
  }

  /** @throws SpecialFileError, FileTooLargeError, or what the system says */
  static read(path: string): HookSource {
    const bytes = readRegularSync(path);
    const isMarked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    return new HookSource(path, isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes);
  }

  /** {@link read}; undefined when the file is missing or cannot be read. */
  static readIfPossible(path: string): HookSource | undefined {
    try {
      return HookSource.read(path);
    } catch {
      return undefined; // A file that cannot be read is never the approved one.
    }
  }

  static of(path: string, text: string): HookSource {
    return new HookSource(path, Buffer.from(text));
  }

  /** Without a byte order mark. It is made from the bytes at each call. */
  get text(): string {
    return this.bytes.toString('utf8');
  }

  /** In bytes. */
  get size(): number {
    return this.bytes.length;
  }
}
