import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadSettings } from '../../../src/agent/settings/load-settings';
import { readCountedText } from '../../../src/base/files/counted-text';
import { silentLog } from '../../../src/base/log';
import { RuleStore } from '../../../src/gate/rules/rule-store';
import { ApprovalStore } from '../../../src/gate/approval-store/approval-store';
import type { HeldFiles } from '../../../src/gate/held-changes/held-files';
import { watchFiles } from '../../../src/startup/watched-files';

export const ALLOW_ALL = JSON.stringify({ rules: [{ tool: 'bash', match: { type: 'any' } }] });
export const NO_RULES = JSON.stringify({ rules: [] });

export const put = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

/** The text that counts of a file; undefined when there is none. */
export const counted = (path: string): Promise<string | undefined> => readCountedText(path).catch(() => undefined);

/** A user with a folder, whose files of settings are watched. */
export class HeldRig {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'held files ')));
  readonly agentDir = join(this.root, 'agent');
  readonly cwd = join(this.root, 'work');
  readonly stateDir = join(this.root, 'state');
  /** Of the process that {@link start} started last. */
  files: HeldFiles;
  /** Of a process beside it. */
  readonly others: ApprovalStore;
  readonly rules = join(this.agentDir, 'hookline-approvals.json');

  constructor() {
    for (const dir of [this.agentDir, join(this.cwd, '.pi')]) mkdirSync(dir, { recursive: true });
    this.others = new ApprovalStore(this.place);
    this.files = this.watch();
  }

  private get place() {
    return { stateDir: this.stateDir, agentDir: this.agentDir, cwd: this.cwd };
  }

  private watch(writes = true, mayDecide = true): HeldFiles {
    return watchFiles(this.place, { writes, mayDecide: () => mayDecide, ofAgents: [], log: silentLog });
  }

  /** As the next process does; the one before it ends. */
  start(writes?: boolean, mayDecide?: boolean): void {
    this.files.dispose();
    this.files = this.watch(writes, mayDecide);
  }

  end(): void {
    this.files.dispose();
    rmSync(this.root, { recursive: true, force: true });
  }

  /** How many rules count. */
  async allowed(): Promise<number> {
    return (await RuleStore.open(this.rules, silentLog)).current.length;
  }

  async settings() {
    return (await loadSettings({ agentDir: this.agentDir, cwd: this.cwd, includeProject: true })).settings;
  }

  /** A call of an agent, in this process or in another one, that ends as the process is killed. */
  duringCall(change: () => void): void {
    this.files.check();
    this.others.beginCalls('MARK');
    change();
  }

  /** The round of calls ends, in order. */
  endCall(): void {
    this.files.check();
    this.others.endCalls();
    this.others.removeOwnRun();
  }
}
