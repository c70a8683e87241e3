/** How entries of hooks stand in a configuration file. All throw an Error without the file's name for a text that is none. */
export interface GuardFormat {
  /** Nothing but our entries may be in the file. */
  readonly isWhole?: true;
  /** The text, empty for a file that is missing, with exactly these entries of ours; all else stays as it is. */
  add(text: string, entries: readonly GuardEntry[]): string;
  /** The text without our entries; undefined when nothing else is in it. */
  remove(text: string): string | undefined;
  /** Our entries, of any guard folder, in the order of the file. */
  own(text: string): readonly OwnEntry[];
}

/** An entry for an event in an agent's configuration. */
export interface GuardEntry {
  readonly event: string;
  /** The item in the list of the event. */
  readonly group: Readonly<Record<string, unknown>>;
}

/** An entry of ours in a configuration. */
export interface OwnEntry {
  /** The agent's name of the event. */
  readonly event: string;
  readonly command: string;
  /** Index of the group among those of its event, and of the handler in the group. */
  readonly group: number;
  readonly handler: number;
  /** The group as it is written; other members than ours may be in it. */
  readonly value: unknown;
}
