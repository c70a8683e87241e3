/** Whether one character (a code point) belongs to a place of a pattern. */
export type CharacterTest = (character: string) => boolean;

interface Place {
  readonly edges: { readonly test: CharacterTest; readonly to: number }[];
  /** Places that are reached without a character. */
  readonly free: number[];
}

/** What is known after some characters: the places that a match can be at, and where each next character leads. */
interface Standing {
  readonly places: readonly number[];
  readonly accepts: boolean;
  /** By the code of the character, filled on demand. Characters outside of ASCII are computed each time. */
  readonly next: (Standing | undefined)[];
}

const ASCII = 128;
/** If a pattern has more standings than this, they are collected again from the start. So memory is limited. */
const MOST_STANDINGS = 500;

/**
 * A pattern as an automaton, built from left to right. A text is read once, whatever the pattern is: the time is at most
 * the length of the text times the length of the pattern. Our own, because `picomatch` needs 327 ms for ten stars against a name
 * of 30 letters, and this time grows exponentially.
 */
export class GlobAutomaton {
  private readonly places: Place[] = [];
  private readonly groups: { readonly start: number; readonly end: number }[] = [];
  private readonly standings = new Map<string, Standing>();
  private at = this.add();
  private start: Standing | undefined;

  /** Adds one character. */
  one(test: CharacterTest): void {
    const to = this.add();
    this.join(this.at, to, test);
    this.at = to;
  }

  /** Adds any number of characters. */
  many(test: CharacterTest): void {
    this.at = this.fresh();
    this.join(this.at, this.at, test);
  }

  /** Adds any number of groups, each of at least one `member` and then one `end`. */
  manyEnded(member: CharacterTest, end: CharacterTest): void {
    const before = this.fresh();
    const inside = this.add();
    this.join(before, inside, member);
    this.join(inside, inside, member);
    this.join(inside, before, end);
    this.at = before;
  }

  /** How many alternatives are open around what comes next. */
  get depth(): number {
    return this.groups.length;
  }

  openAlternatives(): void {
    const start = this.fresh();
    this.groups.push({ start, end: this.add() });
    this.at = start;
  }

  /** Ends one alternative and begins the next of the innermost group. */
  nextAlternative(): void {
    const group = this.groups.at(-1);
    if (group === undefined) return;
    this.places[this.at]?.free.push(group.end);
    this.at = group.start;
  }

  closeAlternatives(): void {
    const group = this.groups.pop();
    if (group === undefined) return;
    this.places[this.at]?.free.push(group.end);
    this.at = group.end;
  }

  /** Whether the whole text matches; called when the pattern is complete. */
  matches(text: string): boolean {
    let standing = (this.start ??= this.standingOf([0]));
    for (const character of text) {
      const code = character.charCodeAt(0);
      const known = code < ASCII ? standing.next[code] : undefined;
      const next = known ?? this.after(standing, character);
      if (known === undefined && code < ASCII) standing.next[code] = next;
      if (next.places.length === 0) return false;
      standing = next;
    }
    return standing.accepts;
  }

  private add(): number {
    return this.places.push({ edges: [], free: [] }) - 1;
  }

  /** A new place after the current one, so that a loop on it does not affect others that share the current one. */
  private fresh(): number {
    const place = this.add();
    this.places[this.at]?.free.push(place);
    return place;
  }

  private join(from: number, to: number, test: CharacterTest): void {
    this.places[from]?.edges.push({ test, to });
  }

  private after(standing: Standing, character: string): Standing {
    const reached = new Set<number>();
    for (const place of standing.places) {
      for (const { test, to } of this.places[place]?.edges ?? []) {
        if (!reached.has(to) && test(character)) reached.add(to);
      }
    }
    return this.standingOf([...reached]);
  }

  private standingOf(reached: readonly number[]): Standing {
    const all = new Set(reached);
    // The set grows during the loop: what is added is visited, too.
    for (const place of all) {
      for (const free of this.places[place]?.free ?? []) all.add(free);
    }
    const places = [...all].sort((a, b) => a - b);
    const key = places.join();
    const known = this.standings.get(key);
    if (known !== undefined) return known;
    if (this.standings.size >= MOST_STANDINGS) {
      this.standings.clear();
      this.start = undefined;
    }
    const standing = { places, accepts: all.has(this.at), next: [] };
    this.standings.set(key, standing);
    return standing;
  }
}
