import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as l10n from '@vscode/l10n';
import { Type } from '@sinclair/typebox';
import { withFileLock } from '../../agent/models/keys/file-lock';
import { replaceFile } from '../../agent/tools/files/writing/replace-file';
import { noteOwnText, readCountedText, refuseHeldText } from '../../base/files/counted-text';
import { messageOf } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Log } from '../../base/log';
import type { Problem } from '../../base/result';
import { parse } from '../../base/json/schema';
import type { PlainReadingChoice } from '../commands/plain-reading';
import { takesPlaceOf } from './rule';
import { RuleSchema, type ApprovalRule } from '../../hook-contract/approvals/approval-rule';

/** Name of the file with the rules in the agent folder; VS Code and the command line share it. */
export const RULES_FILE = 'hookline-approvals.json';

const PlainReadingSchema = Type.Object({ enabled: Type.Boolean(), asks: Type.Array(Type.String()) });

const FileSchema = Type.Object({
  rules: Type.Array(Type.Unknown()),
  /** Absent: all commands that only read run without a question. */
  plainReading: Type.Optional(PlainReadingSchema),
});

const ALL_RUN: PlainReadingChoice = { enabled: true, asks: [] };
/** For a file that cannot be read. */
const ALL_ASK: PlainReadingChoice = { enabled: false, asks: [] };

/**
 * The user's permanent rules, in a file outside of all workspaces. An invalid rule allows nothing and is reported. A
 * file that cannot be read completely is never overwritten.
 */
export class RuleStore {
  private rules: readonly ApprovalRule[] = [];
  private reading = ALL_RUN;
  private found: readonly Problem[] = [];
  private isReadable = true;
  private writing: Promise<void> = Promise.resolve();
  private readonly changeEmitter = new Emitter<void>();
  readonly onDidChange = this.changeEmitter.event;

  private constructor(
    /** Absolute. */
    readonly file: string,
    private readonly log: Log,
  ) {}

  /** Reads the file. Never rejects: a file that cannot be read is in {@link problems}. */
  static async open(file: string, log: Log): Promise<RuleStore> {
    const store = new RuleStore(file, log);
    await store.read();
    return store;
  }

  get current(): readonly ApprovalRule[] {
    return this.rules;
  }

  /** What the user says about commands that only read. */
  get plainReading(): PlainReadingChoice {
    return this.reading;
  }

  /** Stores what the user says about commands that only read. Rejects when this cannot be saved. */
  choosePlainReading(choice: PlainReadingChoice): Promise<void> {
    return this.change(rules => {
      this.reading = choice;
      return rules;
    });
  }

  get problems(): readonly Problem[] {
    return this.found;
  }

  /** Reads the file again, after a change of it was accepted. Never rejects, as {@link open}. */
  reload(): Promise<void> {
    this.writing = this.writing.then(async () => {
      [this.rules, this.found, this.isReadable] = [[], [], true];
      await this.read();
      this.changeEmitter.fire();
    });
    return this.writing;
  }

  /** Adds a rule. Never rejects: if the file cannot be written, this is logged, and the process keeps the rule. */
  async add(rule: ApprovalRule): Promise<void> {
    try {
      await this.change(rules => [...rules.filter(known => !takesPlaceOf(rule, known)), rule]);
    } catch (error) {
      this.log.error(messageOf(error), error);
    }
  }

  /** Removes a rule. Rejects when this cannot be saved: the process has no such rule then, but the next one has. */
  remove(rule: ApprovalRule): Promise<void> {
    return this.change(rules => rules.filter(known => !isDeepStrictEqual(known, rule)));
  }

  /** Puts a rule in the place of another one. Rejects when this cannot be saved. */
  replace(rule: ApprovalRule, by: ApprovalRule): Promise<void> {
    return this.change(rules => rules.map(known => (isDeepStrictEqual(known, rule) ? by : known)));
  }

  /** Changes the rules: in this process at once, and in the file, which another folder or process may have changed. */
  private change(next: (rules: readonly ApprovalRule[]) => readonly ApprovalRule[]): Promise<void> {
    const apply = (): void => {
      this.rules = next(this.rules);
      this.changeEmitter.fire();
    };
    const change = this.writing.then(async () => {
      apply();
      if (this.isReadable) await this.save(apply);
      if (this.isReadable) return;
      throw new Error(
        l10n.t('{0} could not be read, so Hookline does not overwrite it. The changed rules are not saved.', this.file),
      );
    });
    this.writing = change.catch(() => undefined); // The caller gets the error.
    return change;
  }

  /** Applies a change to what the file says now, and writes that if it could be read, while no other process writes it. */
  private async save(apply: () => void): Promise<void> {
    try {
      await mkdir(dirname(this.file), { recursive: true });
      await withFileLock(this.file, async () => {
        await this.read();
        apply();
        if (!this.isReadable) return;
        const plainReading = this.reading.enabled && this.reading.asks.length === 0 ? undefined : this.reading;
        const text = `${JSON.stringify({ rules: this.rules, plainReading }, null, 2)}\n`;
        refuseHeldText(this.file);
        await replaceFile(this.file, text);
        noteOwnText(this.file, text);
      });
    } catch (error) {
      throw new Error(
        l10n.t('{0} could not be written, so the changed rules are not saved: {1}', this.file, messageOf(error)),
        { cause: error },
      );
    }
  }

  private async read(): Promise<void> {
    try {
      const file = parse(FileSchema, JSON.parse(await readCountedText(this.file)));
      if (!file.ok) throw new Error(file.problems.map(({ message }) => message).join('; '));
      const read = file.value.rules.map(rule => parse(RuleSchema, rule));
      this.rules = read.flatMap(rule => (rule.ok ? [rule.value] : []));
      this.reading = file.value.plainReading ?? ALL_RUN;
      this.found = read.flatMap((rule, index) =>
        rule.ok ? [] : [{ message: `Rule ${index + 1} is not valid and allows nothing.`, file: this.file }],
      );
      // Writing the file would delete invalid rules.
      this.isReadable = this.found.length === 0;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      this.isReadable = false;
      this.reading = ALL_ASK;
      this.found = [
        { message: `The approval rules cannot be read, and allow nothing: ${messageOf(error)}`, file: this.file },
      ];
    }
  }
}
