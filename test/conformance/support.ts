import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import type { QuestionView, Question } from '../../src/session/ports/dialogs';
import type { Answer } from '../../src/hook-contract/ui/ui';
import type { HookError } from '../../src/hook-contract/record';
import { Rig, type RigOptions } from '../support/conversation-rig';
import { textOf } from '../support/recorder';
import type { Script } from '../support/scripted-stream';

/** One handler that ran, with what it saw and said at that moment. */
export interface Seen {
  readonly hook: string;
  readonly event: string;
  readonly name: string;
  readonly fields: readonly string[];
  readonly outcome: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** A person in front of the editor: remembers every question, answers from a list, and else cancels. */
export class Person implements QuestionView {
  readonly questions: Question[] = [];
  answers: Answer[] = [];

  show(question: Question, answer: (value: Answer) => void): { dispose(): void } {
    this.questions.push(question);
    const given = this.answers.shift();
    setImmediate(() => answer(given));
    return { dispose: () => undefined };
  }
}

/** A real conversation with real hook files, watched from all sides. */
export class Stage {
  readonly person = new Person();
  readonly seen: Seen[] = [];
  readonly errors: HookError[] = [];

  private constructor(readonly rig: Rig) {
    rig.dialogs.addView(this.person);
    rig.host.onError(error => {
      this.errors.push(error);
    });
    rig.host.records.onDidDispatch(record => {
      const payload = record.payload as Readonly<Record<string, unknown>>;
      this.seen.push({
        hook: record.hookPath.split('/').at(-1) ?? '',
        event: record.event,
        name: record.registeredAs,
        fields: Object.keys(payload).sort(),
        outcome: record.outcome.type,
        payload,
      });
    });
  }

  /** Opens the conversation; hooks have seen its start by then. */
  static async open(script: readonly Script[], options: RigOptions = {}): Promise<Stage> {
    const settings = { ...ROOMY, ...options.settings };
    const rig = await Rig.open(script, { ...options, settings });
    for (const info of rig.host.infos()) {
      assert.deepEqual(info.state, { type: 'live' }, `${info.path} is not loaded`);
    }
    return new Stage(rig);
  }

  get chat(): Rig['chat'] {
    return this.rig.chat;
  }

  get cwd(): string {
    return this.rig.cwd;
  }

  /** Texts of notices that hooks or the product showed, with their level. */
  get notices(): readonly string[] {
    return this.rig.editorCalls.filter(call => call.startsWith('notify ')).map(call => call.slice('notify '.length));
  }

  /** What the model was sent in its `at`th request: role and text of each message. */
  readonly request = (at: number): readonly string[] => {
    const request = this.rig.model.requests.at(at);
    assert.ok(request, `there is no request ${at}`);
    return request.messages.map(message => `${message.role}: ${textOf(message)}`);
  };

  /** Result of the `at`th tool call. */
  readonly tool = (
    at = 0,
  ): { readonly state: string; readonly reason: string | undefined; readonly output: string } => {
    const item = this.rig.items('tool').at(at);
    assert.ok(item, `there is no tool call ${at}`);
    const { state } = item;
    return { state: state.type, reason: 'reason' in state ? state.reason : undefined, output: item.output };
  };

  /** `name: outcome` of each handler of this event's names. */
  outcomes(...names: readonly string[]): readonly string[] {
    return this.seen.filter(seen => names.includes(seen.name)).map(seen => `${seen.name}: ${seen.outcome}`);
  }

  /** The entries of the session's file, header first. */
  async entries(): Promise<readonly Readonly<Record<string, unknown>>[]> {
    await this.chat.conversation.store.flush();
    const file = this.chat.conversation.store.getSessionFile();
    assert.ok(file);
    return readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, unknown>);
  }

  /** Ends everything and fails when a hook failed. */
  async end(keep = false): Promise<void> {
    await this.rig.close(keep);
    assert.deepEqual(this.errors, []);
  }
}

/** A model's wish to run a tool. */
export function call(name: string, args: Record<string, unknown>, id = `call-${name}`): Script {
  return { calls: [{ id, name, args }] };
}

/** The scripted model has a small window, which the default reserve would fill. */
const ROOMY = { compaction: { enabled: true, reserveTokens: 100, keepRecentTokens: 20_000 } };

/** Settings under which a few short messages are enough to compact. */
export const COMPACT_SOON = { compaction: { enabled: true, reserveTokens: 100, keepRecentTokens: 5 } };
