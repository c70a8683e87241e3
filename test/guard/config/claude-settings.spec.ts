import * as assert from 'node:assert';
import { mkdtemp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyPlan } from '../../../src/guard/config/apply-plan';
import { planGuard } from '../../../src/guard/config/plan-guard';
import { guardPlace } from '../../../src/guard/protocol/place';

const CONTRACT = {
  id: 'claude',
  events: [
    { name: 'PreToolUse', gates: true },
    { name: 'Stop', gates: false },
  ],
} as const;

describe('guard of Claude Code', () => {
  let root: string;
  let file: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'guard-config-'));
    await mkdir(join(root, '.claude'));
    file = join(root, '.claude', 'settings.json');
  });
  afterEach(() => rm(root, { recursive: true }));

  const change = async (action: 'add' | 'remove'): Promise<number> => {
    const machine = { env: {}, home: root, platform: 'linux', root } as const;
    const plan = await planGuard({
      contract: CONTRACT,
      action,
      scope: 'user',
      place: guardPlace(join(root, 'state')),
      machine,
    });
    await applyPlan(plan);
    return plan.changes.length;
  };

  it('is written to a new file, which goes again with it', async () => {
    await change('add');
    const written = await readFile(file, 'utf8');
    assert.deepEqual(JSON.parse(written), {
      hooks: {
        PreToolUse: [
          {
            hooks: [
              {
                type: 'command',
                command: `bash '${root}/state/guard/client.sh' claude PreToolUse`,
                timeout: 3600,
                onFailure: 'block',
              },
            ],
          },
        ],
        Stop: [
          { hooks: [{ type: 'command', command: `bash '${root}/state/guard/client.sh' claude Stop`, timeout: 3600 }] },
        ],
      },
    });
    assert.equal(await change('add'), 0);
    await change('remove');
    assert.deepEqual(await readdir(join(root, '.claude')), []);
  });

  for (const [what, text] of Object.entries({
    'an empty file': '',
    'an empty object': '{}',
    'one line': '{"model":"opus","hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"true"}]}]}}',
    'comments and tabs':
      '{\n\t// mine\n\t"model": "opus", // best\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t// none\n\t\t],\n\t} // end\n}\n',
    'carriage returns': '{\r\n  "model": "opus"\r\n}\r\n',
    'a byte order mark': '\uFEFF{\n  "model": "opus"\n}\n',
  })) {
    it(`keeps ${what} as it was`, async () => {
      await writeFile(file, text);
      await change('add');
      await change('remove');
      assert.equal(await readFile(file, 'utf8'), text);
    });
  }
});
