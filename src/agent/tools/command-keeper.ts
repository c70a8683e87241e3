/** Keeps the commands that calls run: shows them while they run, lets them run on, and ends them. */
export interface CommandKeeper {
  /** To be called when a command begins. `signal`: of its call. */
  begin(command: KeptCommand, signal: AbortSignal | undefined): CommandWatch;
}

/** A command that a call runs. */
export interface KeptCommand {
  /** The command line, as it was given to the tool. */
  readonly command: string;
  /** See `BashOutput.from`. */
  readonly outputFrom: (position: number) => OutputPart;
  /** Lets the call return at once with what was printed so far. The command runs on. Does nothing after its end. */
  readonly letGo: () => void;
}

/** A part of the output of a command, as it was printed, without sequences that change more than how a text looks. */
export interface OutputPart {
  readonly text: string;
  /** Where the next part begins, in bytes. */
  readonly position: number;
  /** Bytes before the text that are not kept any more. */
  readonly omitted: number;
}

/** What a keeper decides about a command, and is told of it. */
export interface CommandWatch {
  /** Ends the command. It counts in place of the signal of the call. */
  readonly signal: AbortSignal;
  /** It printed something. */
  grew(): void;
  /** It has ended, and its output is saved. To be called once. */
  end(end: KeptCommandEnd): void;
}

/** How a command ended that a keeper kept. */
export type KeptCommandEnd = {
  /** In words for a model: where the output is. Absent when no file was kept. */
  readonly outputPlace?: string;
  /** The file with the output. */
  readonly outputPath?: string;
} & (
  | { readonly how: 'exited'; readonly exitCode: number | null }
  | { readonly how: 'stopped' }
  | { readonly how: 'timeout'; readonly seconds: string }
  | { readonly how: 'failed'; readonly message: string }
);
