/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access -- hooks are foreign code */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DialectId } from '../../src/hook-contract/dialect-id';
import { HookFindings, type Finding } from '../../src/hook-insight/findings';
import { unreturnedAnswerFix, typeFix, type TextFix } from '../../src/hook-authoring/fixes';
import { hook, hostWith, type Factory, type TestHost } from '../support/hook-host';

const PATH = '/h/one.ts';
const CALL = { type: 'tool_call', toolCallId: 't', toolName: 'bash', input: {} } as const;

describe('findings in hooks', () => {
  let host: TestHost;
  let findings: HookFindings;

  const load = async (factory: Factory, dialect: DialectId = 'ext'): Promise<void> => {
    host = await hostWith([hook(dialect, factory, PATH)]);
    findings = new HookFindings(host.host);
  };
  afterEach(async () => {
    findings.dispose();
    await host.host.dispose();
  });
  const told = (): readonly (readonly [Finding['code'], Finding['severity'], string])[] =>
    findings.list().map(({ code, severity, message }) => [code, severity, message]);

  it('name events that no dialect knows, with the nearest name', async () => {
    await load(pi => {
      pi.on('tool_cal', () => undefined);
      pi.on('tool_call', () => undefined);
      pi.on('gibberish', () => undefined);
    });
    assert.deepEqual(told(), [
      ['unknown-event', 'warning', 'There is no event "tool_cal": this handler never runs. Did you mean "tool_call"?'],
      ['unknown-event', 'warning', 'There is no event "gibberish": this handler never runs.'],
    ]);
  });

  it('count what throws, is late or has a wrong shape', async () => {
    await load(pi => {
      pi.on('agent_start', () => {
        throw new Error('broken');
      });
      pi.on('turn_start', () => new Promise(() => undefined));
      pi.on('tool_result', () => ({ content: 'text' }));
    }, 'v1');
    host.settings.hookTimeout = 10;
    await host.emit({ type: 'agent_start' });
    await host.emit({ type: 'agent_start' });
    await host.emit({ type: 'turn_start', turnIndex: 0, timestamp: 0 });
    await host.emit({ ...CALL, type: 'tool_result', content: [], details: undefined, isError: false });
    assert.deepEqual(told(), [
      ['threw', 'error', 'agent_start: broken'],
      ['late', 'warning', 'turn_start: Hook timed out after 10ms'],
      [
        'wrong-shape',
        'warning',
        'tool_result: returned a wrong shape: "content" must be an array of text and image parts, not a string',
      ],
    ]);
    assert.equal(findings.list()[0]?.count, 2);
  });

  it('tell answers that mean nothing, but not what arrow functions return by accident', async () => {
    const seen: unknown[] = [];
    await load(pi => {
      pi.on('tool_call', () => false);
      pi.on('tool_call', () => seen.push(1));
      pi.on('agent_start', () => ({ block: true }));
    });
    await host.emit(CALL);
    await host.emit({ type: 'agent_start' });
    assert.deepEqual(told(), [
      [
        'wrong-shape',
        'warning',
        'tool_call: The handler returned a boolean, which has no effect. To block, return { block: true, reason }.',
      ],
      [
        'ignored-answer',
        'info',
        'agent_start: Hookline ignores what the handler returned: nothing can be returned for this event.',
      ],
    ]);
  });

  it('tell dialogs that nobody can answer', async () => {
    await load(pi => {
      pi.on('tool_call', async (_event: unknown, ctx: { ui: { confirm(title: string): Promise<boolean> } }) => {
        await ctx.ui.confirm('Sure?');
      });
    });
    Reflect.set(host.conversation, 'hasUI', false);
    host.conversation.ui.answers.push(false);
    await host.emit(CALL);
    assert.deepEqual(
      findings.list().map(({ code }) => code),
      ['nobody-to-ask'],
    );
  });

  it('are gone when the file is loaded anew, and only then', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hookline-findings-'));
    const path = join(folder, 'one.ts');
    writeFileSync(path, '// @pi-dialect ext\nold');
    const failing: Factory = pi =>
      pi.on('agent_start', () => {
        throw new Error('broken');
      });
    host = await hostWith([{ dialect: 'ext', path, text: 'old', factory: failing }]);
    findings = new HookFindings(host.host);
    await host.emit({ type: 'agent_start' });
    await host.host.reload();
    assert.equal(findings.list().length, 1, 'an unchanged file is not loaded anew');
    let changes = 0;
    findings.onDidChange(() => (changes += 1));
    host.hooks = [hook('ext', pi => pi.on('agent_start', () => undefined), path)];
    writeFileSync(path, 'new');
    await host.host.reload();
    assert.deepEqual(findings.list(), []);
    assert.ok(changes > 0);
    rmSync(folder, { recursive: true });
  });

  it('stay bounded', async () => {
    let count = 0;
    await load(pi => {
      pi.on('agent_start', () => {
        throw new Error(`broken ${(count += 1)}`);
      });
    });
    for (let index = 0; index < 200; index++) await host.emit({ type: 'agent_start' });
    assert.equal(findings.list().length, 50);
  });
});

describe('fixes', () => {
  const apply = (text: string, fixes: readonly TextFix[]): string => {
    const lines = text.split('\n');
    for (const { line, start, end, text: replacement } of [...fixes].reverse()) {
      const old = lines[line] ?? '';
      lines[line] = old.slice(0, start) + replacement + old.slice(end);
    }
    return lines.join('\n');
  };

  it('put `return` before an answer that stands alone', () => {
    const line = "    { block: true, reason: 'no' };";
    assert.equal(apply(line, [unreturnedAnswerFix(line, 0)!.fix]), "    return { block: true, reason: 'no' };");
  });

  it('put parentheses around the answer of an arrow function', () => {
    const line = "  pi.on('tool_call', async () => { block: true, reason: 'no' });";
    assert.equal(
      apply(line, [unreturnedAnswerFix(line, 0)!.fix]),
      "  pi.on('tool_call', async () => ({ block: true, reason: 'no' }));",
    );
  });

  for (const line of [
    '  return { block: true };',
    '  const a = { block: true };',
    '  if (x) {',
    '  { const block = 1; }',
  ]) {
    it(`leave alone: ${line.trim()}`, () => assert.equal(unreturnedAnswerFix(line, 0), undefined));
  }

  const IMPORT = "import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';\n";
  const cases: readonly (readonly [string, string])[] = [
    ['export default pi => {\n};\n', `${IMPORT}export default (pi: ExtensionAPI) => {\n};\n`],
    ['export default (pi) => {\n};\n', `${IMPORT}export default (pi: ExtensionAPI) => {\n};\n`],
    [
      '// a\nexport default async function gate(pi) {\n}\n',
      `${IMPORT}// a\nexport default async function gate(pi: ExtensionAPI) {\n}\n`,
    ],
    [`${IMPORT}export default function (pi) {}\n`, `${IMPORT}export default function (pi: ExtensionAPI) {}\n`],
  ];
  for (const [before, after] of cases) {
    it(`give the factory its type: ${before.split('\n').at(-3) ?? before}`, () =>
      assert.equal(apply(before, typeFix(before, 'ext')!.fixes), after));
  }

  it('leave a factory with a type, and what is no factory', () => {
    for (const text of [
      'export default (pi: HookAPI) => {};',
      'export default { a: 1 };',
      'export const pi = 1;',
      'export default () => {};',
      'export default function () {}',
    ]) {
      assert.equal(typeFix(text, 'v1'), undefined, text);
    }
  });
});
