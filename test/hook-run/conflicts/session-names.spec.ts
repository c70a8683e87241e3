import assert from 'node:assert/strict';
import type { HookEvent } from '../../../src/hook-contract/hook-event';
import type { DialectId } from '../../../src/hook-contract/dialect-id';
import { FAKE_MODEL } from '../../support/fake-conversation';
import { DIALECTS, hook, hostWith, type InlineHook } from '../../support/hook-host';
import { noting, NEW, IS_NEW, START } from './support';

const SPLIT_NAMES = [
  'session_start',
  'session_before_switch',
  'session_switch',
  'session_before_new',
  'session_new',
  'session_before_branch',
  'session_branch',
  'session_before_fork',
  'session_fork',
  'session_before_compact',
  'session_compact',
  'session_before_tree',
  'session_tree',
  'session_shutdown',
  'branch',
];

async function seen(
  hooks: readonly InlineHook[],
  log: string[],
  ...events: readonly HookEvent[]
): Promise<readonly string[]> {
  const host = await hostWith(hooks);
  for (const event of events) await host.emit(event);
  return log;
}

describe('conflicts over sessions', () => {
  it('C1 a step goes to the family of names a file registered, in every dialect, and to both when it asked for both', async () => {
    for (const dialect of DIALECTS) {
      const log: string[] = [];
      await seen(
        [
          hook(dialect, noting(log, ['session'])),
          hook(dialect, noting(log, SPLIT_NAMES)),
          hook(dialect, noting(log, ['session_start', 'session'])),
        ],
        log,
        START,
      );
      assert.deepEqual(log, ['session:start', 'session_start', 'session_start', 'session:start'], dialect);
    }
  });

  it('C1 all dialects together: no step is doubled, none lost', async () => {
    const log: string[] = [];
    const steps: readonly HookEvent[] = [
      START,
      { type: 'session_before_switch', reason: 'resume', targetSessionFile: '/t' },
      { type: 'session_switch', reason: 'resume', previousSessionFile: '/o' },
      { type: 'session_before_branch', entryId: 'e1', position: 'before' },
      { type: 'session_branch', entryId: 'e1', previousSessionFile: '/o' },
      { type: 'session_shutdown', reason: 'quit' },
    ];
    await seen(
      [
        hook('v1', noting(log, ['session'], 'v1 ')),
        hook(
          'tree',
          noting(
            log,
            [
              'session_start',
              'session_before_switch',
              'session_switch',
              'session_before_branch',
              'session_branch',
              'session_shutdown',
            ],
            'tree ',
          ),
        ),
        hook(
          'ext',
          noting(
            log,
            [
              'session_start',
              'session_before_switch',
              'session_switch',
              'session_before_fork',
              'session_fork',
              'session_shutdown',
            ],
            'ext ',
          ),
        ),
      ],
      log,
      ...steps,
    );
    assert.deepEqual(log, [
      'v1 session:start',
      'tree session_start',
      'ext session_start',
      'v1 session:before_switch',
      'tree session_before_switch',
      'ext session_before_switch',
      'v1 session:switch',
      'tree session_switch',
      'ext session_switch',
      'v1 session:before_branch',
      'tree session_before_branch',
      'ext session_before_fork',
      'v1 session:branch',
      'tree session_branch',
      'ext session_fork',
      'v1 session:shutdown',
      'tree session_shutdown',
      'ext session_shutdown',
    ]);
  });

  it('C2 a new session is called clear or new by what the text says, else by the dialect', async () => {
    const reasons = async (dialect: DialectId, text: string): Promise<readonly string[]> => {
      const log: string[] = [];
      return await seen([{ dialect, factory: noting(log, ['session']), text }], log, NEW, IS_NEW);
    };
    assert.deepEqual(await reasons('v1', ''), ['session:before_clear', 'session:clear']);
    assert.deepEqual(await reasons('tree', ''), ['session:before_new', 'session:new']);
    assert.deepEqual(await reasons('v1', 'if (event.reason === "before_new") {}'), [
      'session:before_new',
      'session:new',
    ]);
    assert.deepEqual(await reasons('tree', 'if (event.reason === "before_clear") {}'), [
      'session:before_clear',
      'session:clear',
    ]);
    assert.deepEqual(await reasons('v1', '"before_clear"; "before_new"'), ['session:before_clear', 'session:clear']);
    assert.deepEqual(await reasons('tree', '// "before_clear" only in a comment'), [
      'session:before_new',
      'session:new',
    ]);
  });

  it('C3 files that know *_new get that for a new session, all others the switch', async () => {
    const log: string[] = [];
    await seen(
      [
        hook(
          'tree',
          noting(log, ['session_before_new', 'session_new', 'session_before_switch', 'session_switch'], 'a '),
        ),
        hook('tree', noting(log, ['session_new', 'session_before_switch'], 'b ')),
        hook('omp', noting(log, ['session_before_switch', 'session_switch'], 'c ')),
      ],
      log,
      NEW,
      IS_NEW,
      { type: 'session_switch', reason: 'resume', previousSessionFile: undefined },
    );
    assert.deepEqual(log, [
      'a session_before_new',
      'c session_before_switch',
      'a session_new',
      'b session_new',
      'c session_switch',
      'a session_switch',
      'c session_switch',
    ]);
  });

  it('C4 a file with both spellings gets the fork one only', async () => {
    const log: string[] = [];
    await seen(
      [
        hook('ext', noting(log, ['session_before_branch', 'session_before_fork', 'session_branch', 'session_fork'])),
        hook('omp', noting(log, ['session_before_branch', 'session_branch'])),
      ],
      log,
      { type: 'session_before_branch', entryId: 'e1', position: 'before' },
      { type: 'session_branch', entryId: 'e1', previousSessionFile: undefined },
    );
    assert.deepEqual(log, ['session_before_fork', 'session_before_branch', 'session_fork', 'session_branch']);
  });

  it('C32 session_start after a switch goes to extensions only', async () => {
    const log: string[] = [];
    await seen(
      DIALECTS.map(dialect => hook(dialect, noting(log, ['session_start', 'session'], `${dialect} `))),
      log,
      { type: 'session_start', reason: 'resume' },
      { type: 'session_start', reason: 'fork' },
      { type: 'session_start', reason: 'new' },
    );
    assert.deepEqual(log, ['ext session_start', 'ext session_start', 'ext session_start']);
  });

  it('C33 events of one dialect reach a file of any other that asks by name', async () => {
    const log: string[] = [];
    await seen(
      [hook('v1', noting(log, ['model_select', 'todo_reminder', 'input', 'auto_retry_end']))],
      log,
      { type: 'model_select', model: FAKE_MODEL, previousModel: undefined, source: 'set' },
      { type: 'todo_reminder', todos: [], attempt: 1, maxAttempts: 3 },
      { type: 'input', text: 'x', source: 'interactive' },
      { type: 'auto_retry_end', success: true, attempt: 1 },
    );
    assert.deepEqual(log, ['model_select', 'todo_reminder', 'input', 'auto_retry_end']);
  });
});
