import { JsonLinesFile } from '../../base/json/json-lines-file';
import { clipped } from '../../base/text/clipped';
import { redactText } from '../../base/text/redact';
import { InTurn } from '../../base/async/in-turn';
import { defined } from '../../base/defined';
import { activityOf, guardRecordIn } from '../protocol/agent-activity';
import { AGENT_IDS, type AgentId, type GuardRecord } from '../protocol/agent-call';
import type { AgentCounts } from '../protocol/messages';
import type { GuardPlace } from '../protocol/place';

/** Bytes of a file; an older one is kept beside it. */
const FILE_LIMIT = 1024 * 1024;
const LONGEST_TEXT = 500;

/** The guard log on disk: what became of the calls of all agents. It is bounded. */
export class GuardLog {
  private readonly file: JsonLinesFile<GuardRecord>;
  private readonly turns = new InTurn();

  constructor({ log }: Pick<GuardPlace, 'log'>) {
    this.file = new JsonLinesFile(log, guardRecordIn, FILE_LIMIT);
  }

  /** Adds records, without secrets. Rejects when the disk does. */
  async add(records: readonly GuardRecord[]): Promise<void> {
    if (records.length === 0) return;
    const lines = records.map(record => `${JSON.stringify(withoutSecrets(record))}\n`).join('');
    await this.turns.run(() => this.file.append(lines));
  }

  /** The newest records, of one agent when it is given; oldest first. */
  async newest(count: number, agent?: AgentId): Promise<readonly GuardRecord[]> {
    const { entries } = await this.file.read();
    const wanted = entries.filter(record => agent === undefined || record.agent === agent);
    return count === 0 ? [] : wanted.slice(-count);
  }

  /** What each agent did today; `now` in ms since 1970. */
  async counts(now: number): Promise<readonly AgentCounts[]> {
    const { entries } = await this.file.read();
    return AGENT_IDS.map(agent => {
      const { last, calls, blocks } = activityOf(entries, agent, now);
      return { agent, ...defined({ lastCallAt: last?.at }), calls, blocks };
    });
  }
}

function withoutSecrets(record: GuardRecord): GuardRecord {
  const shown = (text: string | undefined): string | undefined => text && clipped(redactText(text), LONGEST_TEXT);
  return { ...record, ...defined({ summary: shown(record.summary), reason: shown(record.reason) }) };
}
