import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Workbench } from './workbench';

/** Puts a session of `turns` questions and answers beside those of the workspace; it shows up under `name`. */
export function writeLongSession(workbench: Workbench, name: string, turns: number): void {
  const folder = `--${workbench.workspace.replace(/^\//, '').replaceAll('/', '-')}--`;
  const dir = join(workbench.place.home, '.pi', 'agent', 'sessions', folder);
  const time = (index: number): string => new Date(Date.UTC(2026, 0, 1, 9, 0, index)).toISOString();
  const id = (index: number): string => index.toString(16).padStart(8, '0');
  const entries: object[] = [
    {
      type: 'session',
      version: 3,
      id: '5e550000-0000-4000-8000-000000000001',
      timestamp: time(0),
      cwd: workbench.workspace,
    },
    { type: 'session_info', id: id(1), parentId: null, timestamp: time(1), name },
  ];
  for (let index = 2; index < 2 + turns * 2; index++) {
    const base = { type: 'message', id: id(index), parentId: id(index - 1), timestamp: time(index) };
    const turn = index >> 1;
    if (index % 2 === 0) {
      entries.push({
        ...base,
        message: { role: 'user', content: `Question ${turn}: what does step ${turn} do?`, timestamp: index },
      });
    } else {
      entries.push({
        ...base,
        message: { ...ANSWER, content: [{ type: 'text', text: answerText(turn) }], timestamp: index },
      });
    }
  }
  mkdirSync(dir, { recursive: true });
  writeFileSync(
    join(dir, '2026-01-01T09-00-00-000Z_5e550000.jsonl'),
    entries.map(entry => `${JSON.stringify(entry)}\n`).join(''),
  );
}

const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const ANSWER = {
  role: 'assistant',
  api: 'anthropic-messages',
  provider: 'scripted',
  model: 'scripted',
  usage: { ...NOTHING, totalTokens: 0, cost: { ...NOTHING, total: 0 } },
  stopReason: 'stop',
};

function answerText(turn: number): string {
  return `Step ${turn} reads \`src/step-${turn}.ts:${turn}\` and\n\n- checks **${turn * 7}** lines,\n- keeps what is right.\n`;
}
