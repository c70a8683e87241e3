import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** How many characters one line may have. */
const MOST_CHARACTERS = 256 * 1024 * 1024;

/** Why lines ended: the stream did, or a line was too long. */
export type LinesEnd = 'end' | 'tooLong';

/**
 * Lines of a stream. Only LF ends a line, because JSON may contain the other separators of Unicode. Lines that come
 * before there is a listener are kept. A line that is too long is not kept: it ends the reading and destroys the stream, or, with
 * `onTooLong`, is left out.
 */
export class LineReader {
  private readonly decoder = new StringDecoder('utf8');
  private waiting: string[] = [];
  private rest = '';
  private leavesOut = false;
  private ended: LinesEnd | undefined;
  private onLine: ((line: string) => void) | undefined;
  private onEnd: ((why: LinesEnd) => void) | undefined;

  constructor(
    private readonly stream: Readable,
    private readonly mostCharacters = MOST_CHARACTERS,
    /** Is called once for each line that is too long, as soon as that is clear. */
    private readonly onTooLong?: () => void,
  ) {
    stream.on('data', (chunk: Buffer | string) =>
      this.take(typeof chunk === 'string' ? chunk : this.decoder.write(chunk)),
    );
    const end = (): void => {
      this.finish('end');
    };
    stream.on('end', end);
    stream.on('error', end);
  }

  /** `onEnd` is called once, after the last line. */
  listen(onLine: (line: string) => void, onEnd: (why: LinesEnd) => void): void {
    this.onLine = onLine;
    this.onEnd = onEnd;
    for (const line of this.waiting.splice(0)) onLine(line);
    if (this.ended !== undefined) onEnd(this.ended);
  }

  private take(text: string): void {
    const [first = '', ...others] = text.split('\n');
    this.add(first);
    for (const piece of others) {
      if (this.ended !== undefined) return;
      if (!this.leavesOut) this.tell(this.rest);
      this.rest = '';
      this.leavesOut = false;
      this.add(piece);
    }
  }

  private add(piece: string): void {
    if (this.leavesOut) return;
    this.rest += piece;
    if (this.rest.length <= this.mostCharacters) return;
    if (this.onTooLong === undefined) {
      this.giveUp();
      return;
    }
    this.rest = '';
    this.leavesOut = true;
    this.onTooLong();
  }

  private giveUp(): void {
    this.rest = '';
    this.stream.destroy();
    this.finish('tooLong');
  }

  private finish(why: LinesEnd): void {
    if (this.ended !== undefined) return;
    this.take(this.decoder.end());
    if (this.rest !== '') this.tell(this.rest);
    this.ended = why;
    this.onEnd?.(why);
  }

  private tell(line: string): void {
    const plain = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (plain.trim() === '') return;
    if (this.onLine === undefined) this.waiting.push(plain);
    else this.onLine(plain);
  }
}
