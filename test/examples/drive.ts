import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import type { DialectId } from '../../src/hook-contract/dialect-id';
import { Rig, until, type RigOptions } from '../support/conversation-rig';
import { exampleHooks } from '../support/example-hooks';
import type { Script } from '../support/scripted-stream';

export { until } from '../support/conversation-rig';

/** One example at work: a real conversation in which it is the only hook. */
export class Driven {
  private constructor(readonly rig: Rig) {}

  /** Loads the example, as it is, and checks that it counts as the dialect in whose folder it lies. */
  static async open(
    dialect: DialectId,
    name: string,
    script: readonly Script[],
    options: RigOptions = {},
  ): Promise<Driven> {
    const text = exampleText(dialect, name);
    const place = dialect === 'ext' || dialect === 'pi' ? 'extensions' : 'hooks';
    const rig = await Rig.open(script, {
      ...options,
      // The scripted model's window is smaller than what is kept free by default: it would be compacted all the time.
      settings: { ...SMALL_CONTEXT, ...options.settings },
      [place]: { ...options[place], [name]: text },
    });
    const info = rig.host.infos().find(({ path }) => path.endsWith(name));
    assert.deepEqual(info?.state, { type: 'live' });
    assert.equal(info.dialect?.id, dialect, info.dialect?.because);
    return new Driven(rig);
  }

  get chat(): Rig['chat'] {
    return this.rig.chat;
  }

  close(): Promise<void> {
    return this.rig.close();
  }

  /** Texts of the notices so far. */
  get notices(): readonly string[] {
    return this.rig.items('notice').map(({ text }) => text);
  }

  /** How each tool call ended; a block with its reason. */
  get tools(): readonly string[] {
    return this.rig.items('tool').map(({ state }) => (state.type === 'blocked' ? state.reason : state.type));
  }

  /** Titles of all questions so far. */
  get questions(): readonly string[] {
    return this.rig.items('gate').map(({ title }) => title);
  }

  get status(): readonly string[] {
    return this.chat.status.current.hookStatus;
  }

  /** What the model was sent in its last request, as one text. */
  get lastRequest(): string {
    return JSON.stringify({ ...this.rig.model.requests.at(-1), inPlace: undefined });
  }

  /** Does something during which questions are asked, and answers them in order; undefined cancels. */
  async answering(work: Promise<unknown>, ...answers: readonly (string | boolean | undefined)[]): Promise<void> {
    const page = this.rig.page();
    for (const answer of answers) {
      const { id } = await until(
        () => this.rig.items('gate').find(({ state }) => state.type === 'open'),
        `a question to answer with ${String(answer)}`,
      );
      page.send({ type: 'answer', id, answer });
      await until(
        () => this.rig.items('gate').find(item => item.id === id && item.state.type !== 'open'),
        'the question to close',
      );
    }
    await work;
    page.dispose();
  }
}

/** An example, as it is in the repository. */
export function exampleText(dialect: DialectId, name: string): string {
  return exampleHooks(dialect).find(hook => hook.name === name)?.text ?? assert.fail(`no example ${dialect}/${name}`);
}

/** An example of one dialect as a file of another one, in which it means the same. */
export function exampleAs(dialect: DialectId, of: DialectId, name: string): string {
  const text = exampleText(of, name);
  return dialect === of ? text : `// @pi-dialect ${dialect}\n${text}`;
}

let calls = 0;

/** The model calls a tool. */
export function call(name: string, args: Record<string, unknown>): Script {
  return { calls: [{ id: `call-${++calls}`, name, args }] };
}

export function bash(command: string): Script {
  return call('bash', { command });
}

/** Runs git in a folder, and gives what it prints. */
export function git(cwd: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@localhost', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8' }).trim();
}

/** Makes the workspace a repository with everything in it committed. */
export function repository(cwd: string): void {
  git(cwd, 'init', '--quiet', '--initial-branch=main');
  git(cwd, 'add', '--all');
  git(cwd, 'commit', '--quiet', '--message=start');
}

/** Compaction only when asked for, and then of all but the last few words. */
const SMALL_CONTEXT: RigOptions['settings'] = {
  compaction: { enabled: false, reserveTokens: 100, keepRecentTokens: 5 },
};
