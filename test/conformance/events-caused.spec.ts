import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dialectsWith, EVENT_TYPES, namesOf } from '../../src/hook-contract/events/event-table';
import type { DialectId } from '../../src/hook-contract/dialect-id';
import { ScriptedLlm } from '../support/scripted-llm';
import { EVENT_NAMES, EVENT_ROWS, llmOptions, NEVER_CAUSED, settled, type EventRow } from './events-table';
import { heardIn, recorder, type Heard } from '../support/recorder';
import { Stage } from './support';

/** Opens a conversation with a recorder for this one event, lets its cause happen, and gives what was heard. */
async function provoke({ event, cause }: EventRow, dialect: DialectId): Promise<readonly Heard[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hookline heard '));
  const file = join(folder, 'heard.jsonl');
  const llm = cause.llm === true ? await ScriptedLlm.start() : undefined;
  llm?.otherwise(() => ({ text: ['hello'] }));
  try {
    const [name = ''] = event.split(':');
    const hooks = { 'recorder.ts': recorder(dialect, [name], file) };
    const stage = await Stage.open(cause.script ?? [], {
      ...cause.options,
      ...(llm === undefined ? {} : llmOptions(llm)),
      ...(dialect === 'ext' ? { extensions: hooks } : { hooks }),
    });
    assert.equal(stage.rig.host.infos()[0]?.dialect?.id, dialect);
    await cause.act(stage);
    if (cause.ends !== true) {
      await settled(stage);
      await stage.end();
    }
    return heardIn(file);
  } finally {
    await llm?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('events that the agent itself causes', () => {
  for (const row of EVENT_ROWS) {
    for (const dialect of row.dialects) {
      it(`${row.event} reaches a ${dialect} hook with ${row.fields.join(', ') || 'no fields'}`, async () => {
        const [, reason] = row.event.split(':');
        const heard = (await provoke(row, dialect)).filter(
          ({ event }) => reason === undefined || event['reason'] === reason,
        );
        assert.ok(heard.length > 0, 'it was not heard');
        const best = heard.reduce((a, b) => (lacks(row, a) <= lacks(row, b) ? a : b));
        assert.deepEqual(
          row.fields.filter(field => !best.fields.includes(field) || best.event[field] === undefined),
          [],
          'fields it lacks',
        );
      });
    }
  }

  for (const [dialect, names] of Object.entries(EVENT_NAMES)) {
    it(`cover every event name of ${dialect}`, () => {
      const caused = EVENT_ROWS.filter(row => row.dialects.includes(dialect as DialectId)).map(nameOf);
      const known = new Set([...caused, ...Object.keys(NEVER_CAUSED)]);
      assert.deepEqual(
        names.filter(name => !known.has(name)),
        [],
      );
    });
  }

  it('cover every name that the runtime delivers', () => {
    const delivered = EVENT_TYPES.flatMap(namesOf);
    const known = new Set([...EVENT_ROWS.map(nameOf), ...Object.keys(NEVER_CAUSED)]);
    assert.deepEqual(
      [...new Set(delivered)].filter(name => !known.has(name)),
      [],
    );
  });

  it('have the dialects that their rows name', () => {
    for (const name of new Set(EVENT_ROWS.map(nameOf))) {
      const caused = EVENT_ROWS.filter(row => nameOf(row) === name).flatMap(row => row.dialects);
      assert.deepEqual([...new Set(caused)].sort(), [...dialectsWith(name)].sort(), name);
    }
  });
});

function nameOf(row: EventRow): string {
  return row.event.split(':')[0] ?? '';
}

function lacks(row: EventRow, heard: Heard): number {
  return row.fields.filter(field => heard.event[field] === undefined).length;
}
