/** A place in a source text. */
export interface SourcePosition {
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
}

/** A position in one of a hook's files. */
export interface HookPlace extends SourcePosition {
  readonly file: string;
}

/** Finds the TypeScript source behind stacks of one hook; the loader's module answers it. */
export interface StackMap {
  /** Returns the stack with the positions in compiled code replaced by positions in the source. */
  mapStack(stack: string): string;
  /** The source position of the topmost frame that is in one of the hook's files; undefined if there is none. */
  placeIn(stack: string): HookPlace | undefined;
  /** The hook's own files; absent: not known. */
  readonly sources?: readonly { readonly text: string }[];
  /** Whether the compiled code of the hook's files contains this text, such as that of a function. */
  holdsCode?(text: string): boolean;
}
