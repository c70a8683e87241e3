import { lstatSync, statSync } from 'node:fs';

/** How often the files are looked at, ms. */
const LOOK_MS = 200;

/** Looks at some files for changes on disk, also through links and where they are missing; no change is lost. */
export class ChangesOnDisk {
  private timer: NodeJS.Timeout | undefined;
  private seen = '';

  /** `paths`: absolute. `changed` is called soon after a change while the files are watched. */
  constructor(
    private readonly paths: readonly string[],
    private readonly changed: () => void,
  ) {}

  /** What changes from now on is noticed. */
  watch(): void {
    if (this.timer !== undefined || this.paths.length === 0) return;
    this.seen = this.times();
    this.timer = setInterval(() => this.look(), LOOK_MS);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private look(): void {
    const times = this.times();
    if (times === this.seen) return;
    this.seen = times;
    this.changed();
  }

  private times(): string {
    return this.paths.map(path => `${timeOf(lstatSync, path)} ${timeOf(statSync, path)}`).join('\n');
  }
}

function timeOf(stat: typeof statSync, path: string): string {
  try {
    const { ctimeNs, mtimeNs, size, ino } = stat(path, { bigint: true });
    return `${ctimeNs} ${mtimeNs} ${size} ${ino}`;
  } catch {
    return ''; // Missing, or in a folder that cannot be entered.
  }
}
