import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { sessionDirFor } from '../../../src/agent/session/library/session-list';
import type { Workbench } from './workbench';

/** The folder of the workspace's sessions, absolute; made if it is missing. */
export function sessionFolder({ place, workspace }: Workbench): string {
  const dir = sessionDirFor(join(place.home, '.pi', 'agent'), workspace);
  mkdirSync(dir, { recursive: true });
  return dir;
}

export interface StoredTalk {
  /** Of the file, without its ending. */
  readonly id: string;
  /** What the user said first. */
  readonly says: string;
  readonly name?: string;
  /** Of its latest entry. */
  readonly time: Date;
}

/** The text of a session file with one question and one answer. */
export function storedTalk({ id, says, name, time }: StoredTalk, cwd: string): string {
  const timestamp = time.toISOString();
  const entry = (serial: number, fields: object): object => ({
    id: `${id}-${serial}`,
    parentId: serial === 0 ? null : `${id}-${serial - 1}`,
    timestamp,
    ...fields,
  });
  const user = { role: 'user', content: says, timestamp: time.getTime() };
  const content = [{ type: 'text', text: `An answer to: ${says}` }];
  const answer = {
    role: 'assistant',
    api: 'demo',
    provider: 'demo',
    model: 'demo',
    content,
    timestamp: time.getTime(),
  };
  const lines = [
    { type: 'session', version: 3, id, timestamp, cwd },
    { type: 'message', ...entry(0, { message: user }) },
    { type: 'message', ...entry(1, { message: answer }) },
    ...(name === undefined ? [] : [{ type: 'session_info', ...entry(2, { name }) }]),
  ];
  return lines.map(line => `${JSON.stringify(line)}\n`).join('');
}

/** Writes the file of a session beside those of the workspace, and returns its absolute path. */
export function storeTalk(workbench: Workbench, talk: StoredTalk): string {
  const file = join(sessionFolder(workbench), `${talk.id}.jsonl`);
  writeFileSync(file, storedTalk(talk, workbench.workspace));
  return file;
}

/** Locks a session as another program does that writes to it: this process. */
export function lockTalk(file: string): void {
  const holder = { token: 'of-another', pid: process.pid, host: hostname(), since: new Date().toISOString() };
  writeFileSync(`${file}.lock`, JSON.stringify(holder));
}
