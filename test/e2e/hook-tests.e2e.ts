import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProcessTable } from '../../src/base/ending/process-table';
import { testHelper } from '../../src/hook-insight/hook-tests/hook-test';
import { Chat } from './support/chat';
import { useTheme, widenSideBar } from './support/look';
import { answerQuestion } from './support/questions';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

const GUARD = `interface Call { readonly toolName: string; readonly input: { readonly command?: string } }

export default (pi: any) => {
  pi.on('tool_call', async (event: Call, ctx: any) => {
    if (event.toolName !== 'bash') return undefined;
    const answer: string = await ctx.ui.select('Run it?', ['Yes', 'No']);
    return answer === 'Yes' ? undefined : { block: true, reason: 'The person said no' };
  });
};
`;
const GUARD_BREAK = 7;
const MADE = 'zz-guard-tool_call-bash-blocked.test.mjs';

/** A test that hangs, one that passes, and a process that the first one starts and that says its id. */
const HANGING = `import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import './hookline-testing.mjs';

it('hangs', function () {
  this.timeout(0);
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  writeFileSync(new URL('./started.txt', import.meta.url), \`\${process.pid} \${child.pid}\`);
  for (;;);
});
it('is slow', function () {
  this.timeout(500);
  return new Promise(() => {});
});
it('is quick', () => {});
`;

describe('hook tests in the Test Explorer', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await openWorkbench({
      ownServer: true,
      name: 'hook tests ü',
      files: { '.pi/hooks/zz-guard.ts': GUARD },
    });
    const chat = await Chat.open(workbench);
    await chat.ask('run `echo one`');
    await answerQuestion(workbench, 'No');
    await chat.tool('bash', 'blocked');
    await chat.idle();
  });
  after(() => workbench.close());
  afterEach(() => {
    for (const name of ['own', 'other', 'another-tool', 'hanging', 'broken', 'lost']) {
      rmSync(testFile(`${name}.test.mjs`), { force: true });
    }
    writeFileSync(hook(), GUARD);
  });

  const hook = (): string => join(workbench.workspace, '.pi', 'hooks', 'zz-guard.ts');
  const folder = (): string => join(workbench.workspace, '.pi', 'hooks-test');
  const testFile = (name: string): string => join(folder(), name);
  const labels = (): Promise<readonly string[]> => labelsIn(workbench);
  const untilLabels = (what: string, isThere: (labels: readonly string[]) => boolean): Promise<readonly string[]> =>
    untilLabelsIn(workbench, what, isThere);
  const runAll = async (): Promise<void> => workbench.runCommand('Test: Run All Tests');

  it('appear with the first test, and not before', async () => {
    assert.equal(await workbench.page.getByRole('tab', { name: /^Testing/ }).count(), 0);
    await workbench.runCommand('Hookline: Show Hook Log');
    const frame = await workbench.frameWith('[data-hookline="log"][data-ready="true"]');
    await frame.getByLabel('Hook', { exact: true }).selectOption({ label: 'zz-guard.ts' });
    await frame.locator('.log-row[data-outcome="blocked"]:not(.group)').first().click();
    await frame.getByRole('button', { name: 'Make Test…' }).press('Enter');
    await workbench.quickInput.opened({ withItems: true });
    await workbench.quickInput.accept();
    await waitFor(() => existsSync(testFile(MADE)) || undefined, { what: 'the test' });
    await workbench.page.getByRole('tab', { name: /^Testing/ }).waitFor();
    const glyphs = workbench.page.locator('.testing-run-glyph');
    await waitFor(async () => (await glyphs.count()) === 2 || undefined, {
      what: 'an icon for the suite and the test',
    });
    await workbench.screenshot('hook-tests-made');
    await openExplorer(workbench);
    await widenSideBar(workbench, 292);
    await untilLabels('the file', all => all.some(label => label.startsWith(MADE)));
  });

  it('run and pass, by keyboard only', async () => {
    await runAll();
    await untilLabels('the passed file', ended(MADE, 'Passed'));
    await expand(MADE);
    await expand('zz-guard.ts (');
    assert.ok(ended('tool_call bash: blocked: The person said no', 'Passed')(await labels()));
    await workbench.screenshot('hook-tests-passed');
  });

  it('show the difference at the line of the assertion when the hook decides otherwise', async () => {
    writeFileSync(hook(), GUARD.replace('The person said no', 'Somebody said no'));
    await runAll();
    await untilLabels('the failed file', ended(MADE, 'Failed'));
    await workbench.runCommand('Test: Peek Output');
    const peek = workbench.page.locator('.test-output-peek');
    await peek.locator('.monaco-diff-editor').waitFor();
    await waitFor(
      async () => {
        const text = (await peek.innerText()).replaceAll('\u00a0', ' ');
        return text.includes('Somebody said no') && text.includes('The person said no') ? true : undefined;
      },
      { what: 'both sides of the difference' },
    );
    const peekTop = (await peek.boundingBox())?.y ?? 0;
    const assertion = await workbench.page
      .locator('.view-line', { hasText: 'assert.deepEqual(' })
      .first()
      .boundingBox();
    assert.ok(assertion !== null && Math.abs(assertion.y + assertion.height - peekTop) < 3, 'below the assertion');
    await workbench.screenshot('hook-tests-failed');
    await workbench.page.keyboard.press('Escape');
    await peek.waitFor({ state: 'detached' });
  });

  it('follow what changes outside of VS Code', async () => {
    const own = testFile('own.test.mjs');
    const text = (title: string): string => `import './hookline-testing.mjs';\nit('${title}', () => {});\n`;
    const has = (name: string) => (all: readonly string[]) => all.some(label => label.startsWith(name));
    const hasNot = (name: string) => (all: readonly string[]) => !has(name)(all);
    writeFileSync(own, text('first'));
    await untilLabels('the new file', has('own.test.mjs'));
    await expand('own.test.mjs');
    assert.ok(has('first')(await labels()));
    writeFileSync(own, text('second'));
    await untilLabels('the new title', all => has('second')(all) && hasNot('first')(all));
    renameSync(own, testFile('other.test.mjs'));
    await untilLabels('the renamed file', all => has('other.test.mjs')(all) && hasNot('own.test.mjs')(all));
    rmSync(testFile('other.test.mjs'));
    await untilLabels('the removed file', hasNot('other.test.mjs'));
    writeFileSync(testFile('another-tool.test.mjs'), `it('of another tool', () => {});\n`);
    const elsewhere = join(workbench.workspace, 'checks');
    renameSync(folder(), elsewhere);
    await workbench.runCommand('Test: Refresh Tests');
    await untilLabels('the file in the renamed folder', has(MADE));
    assert.ok(hasNot('another-tool.test.mjs')(await labels()), 'tests of other tools are left to them');
    renameSync(elsewhere, folder());
    await untilLabels('the file in its folder', has(MADE));
  });

  it('are stopped when they hang, and nothing else is', async () => {
    const bystander = spawn('sleep', ['600'], { stdio: 'ignore' });
    writeFileSync(testFile('hanging.test.mjs'), HANGING);
    await untilLabels('the file', all => all.some(label => label.startsWith('hanging')));
    await runAll();
    const started = await whatHangs();
    await workbench.screenshot('hook-tests-hanging');
    assert.deepEqual(await running(started), started);
    await workbench.runCommand('Test: Cancel Test Run');
    await waitFor(async () => (await running(started)).length === 0 || undefined, {
      what: 'the end of what was started',
    });
    assert.deepEqual(await running([bystander.pid ?? 0]), [bystander.pid]);
    writeFileSync(testFile('hanging.test.mjs'), HANGING.replace('timeout(0)', 'timeout(700)'));
    await runAll();
    await untilLabels('the errors', ended('hanging.test.mjs', 'Errored'));
    await waitFor(async () => ended(MADE, 'Passed')(await labels()) || undefined, { what: 'the other file' });
    await expand('hanging.test.mjs');
    const now = await labels();
    for (const [name, how] of [
      ['hangs', 'Errored'],
      ['is slow', 'Errored'],
      ['is quick', 'Passed'],
    ] as const) {
      assert.ok(ended(name, how)(now), now.join('\n'));
    }
    assert.deepEqual(await running([bystander.pid ?? 0]), [bystander.pid]);
    bystander.kill();
    await workbench.page.keyboard.press('ArrowDown');
    await workbench.screenshot('hook-tests-stopped');
  });

  it('say on the file what is wrong with it, and run the others', async () => {
    writeFileSync(testFile('broken.test.mjs'), `import './hookline-testing.mjs';\nit('x', ( => {});\n`);
    writeFileSync(testFile('lost.test.mjs'), `import './hookline-testing.mjs';\nimport './gone.mjs';\n`);
    await untilLabels('both', all => ['broken', 'lost'].every(name => all.some(label => label.startsWith(name))));
    await runAll();
    await untilLabels('the result of all', all =>
      [ended('broken.test.mjs', 'Errored'), ended('lost.test.mjs', 'Errored'), ended(MADE, 'Passed')].every(is =>
        is(all),
      ),
    );
    await workbench.screenshot('hook-tests-broken');
  });

  it('stop at a breakpoint in the hook, and at one in the test', async () => {
    await breakAt('zz-guard.ts', GUARD_BREAK);
    await breakAt(MADE, 32);
    writeFileSync(testFile('own.test.mjs'), `import './hookline-testing.mjs';\nit('comes after it', () => {});\n`);
    await openExplorer(workbench);
    await untilLabels('both files', all => all.some(label => label.startsWith('own.test.mjs')));
    await workbench.runCommand('Test: Debug All Tests');
    await stopsAt('zz-guard.ts', GUARD_BREAK);
    await workbench.screenshot('hook-tests-debug-hook');
    await workbench.runCommand('Debug: Continue');
    await stopsAt(MADE, 32);
    await workbench.screenshot('hook-tests-debug-test');
    await workbench.runCommand('Debug: Continue');
    await openExplorer(workbench);
    await untilLabels('the passed file', ended(MADE, 'Passed'));
    await untilLabels('the file after it', ended('own.test.mjs', 'Passed'));
    await workbench.runCommand('Remove All Breakpoints');
  });

  it('end with their debug session', async () => {
    rmSync(testFile('started.txt'));
    writeFileSync(testFile('hanging.test.mjs'), HANGING);
    await openExplorer(workbench);
    await untilLabels('the file', all => all.some(label => label.startsWith('hanging')));
    await workbench.runCommand('Test: Debug All Tests');
    const started = await whatHangs();
    await workbench.runCommand('Debug: Disconnect');
    await waitFor(async () => (await running(started)).length === 0 || undefined, { what: 'the end of what hung' });
  });

  it('can be read in high contrast', async () => {
    await useTheme(workbench, 'Light High Contrast');
    await openExplorer(workbench);
    await workbench.screenshot('hook-tests-high-contrast-light');
    await useTheme(workbench, 'Dark High Contrast');
    await openExplorer(workbench);
    await workbench.screenshot('hook-tests-high-contrast-dark');
  });

  /** Opens an item of the tree with keys. */
  async function expand(name: string): Promise<void> {
    const { page } = workbench;
    const isThere = async (selector: string): Promise<boolean> => (await page.locator(selector).count()) > 0;
    await waitFor(
      async () => {
        if (await isThere('.test-explorer-tree .monaco-list:focus')) return true;
        // The end of a run can take the focus away.
        if (await isThere('.test-explorer :focus')) await page.keyboard.press('Tab');
        else await openExplorer(workbench);
        return undefined;
      },
      { what: 'the focus in the tree' },
    );
    await page.keyboard.press('Home');
    const focused = page.locator('.test-explorer-tree .monaco-list-row.focused');
    const nameOf = async (): Promise<string> => (await focused.getAttribute('aria-label')) ?? '';
    while (!(await nameOf()).startsWith(name)) await page.keyboard.press('ArrowDown');
    await workbench.pressUntil('ArrowRight', async () => (await focused.getAttribute('aria-expanded')) === 'true');
  }

  /** Ids of the processes of the hanging test. */
  function whatHangs(): Promise<readonly number[]> {
    return waitFor(
      () => {
        const file = testFile('started.txt');
        const pids = existsSync(file) ? readFileSync(file, 'utf8').split(' ').map(Number) : [];
        return pids.length === 2 ? pids : undefined;
      },
      { what: 'the hanging test' },
    );
  }

  async function breakAt(name: string, line: number): Promise<void> {
    await workbench.openPalette();
    await workbench.quickInput.type(`${name}:${line}`);
    await workbench.quickInput.items();
    await workbench.quickInput.accept();
    await workbench.page.locator('.tab.active', { hasText: name }).waitFor();
    await workbench.page.locator('.monaco-editor.focused').waitFor();
    await workbench.page.keyboard.press('F9');
    await workbench.page.locator('.codicon-debug-breakpoint, .codicon-debug-breakpoint-unverified').first().waitFor();
  }

  async function stopsAt(name: string, line: number): Promise<void> {
    const { page } = workbench;
    const frame = page.locator('.debug-call-stack .stack-frame', { hasText: name }).first();
    await frame.waitFor();
    await page.locator('.debug-top-stack-frame-line').first().waitFor();
    assert.match(await frame.innerText(), new RegExp(`${line}:\\d+`));
  }
});

const TEST = (title: string, body: string): string => `import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import './hookline-testing.mjs';
it('${title}', () => {
  ${body}
  writeFileSync(new URL('./ran.txt', import.meta.url), '');
});
`;
const HELPER = testHelper('no such file');

describe('hook tests of several folders and of the user', () => {
  let workbench: Workbench;
  before(async () => {
    workbench = await openWorkbench({
      workspaceFile: 'both.code-workspace',
      homeFiles: {
        '.pi/agent/hooks-test/hookline-testing.mjs': HELPER,
        '.pi/agent/hooks-test/own.test.mjs': TEST('of the user', `assert.match(process.cwd(), /agent$/);`),
      },
      files: {
        'both.code-workspace': JSON.stringify({ folders: [{ path: 'first' }, { path: 'second' }] }),
        'first/.pi/hooks-test/hookline-testing.mjs': HELPER,
        'first/.pi/hooks-test/own.test.mjs': TEST('of the first', `assert.match(process.cwd(), /first$/);`),
        'second/checks/hookline-testing.mjs': HELPER,
        'second/checks/own.test.mjs': TEST('of the second', `assert.match(process.cwd(), /second$/);`),
      },
    });
  });
  after(() => workbench.close());

  it('are found and run, and the names say the folder', async () => {
    await openExplorer(workbench);
    const names = [
      'own.test.mjs (first/.pi/hooks-test)',
      'own.test.mjs (second/checks)',
      'own.test.mjs (~/.pi/agent/hooks-test)',
    ];
    await untilLabelsIn(workbench, 'all files', all => names.every(name => all.some(label => label.startsWith(name))));
    await workbench.runCommand('Test: Run All Tests');
    await untilLabelsIn(workbench, 'all passed', all => names.every(name => ended(name, 'Passed')(all)));
    await workbench.screenshot('hook-tests-several-folders');
  });

  it('do not run in a folder that trust.json refuses', async () => {
    const ran = (name: string): string => join(workbench.workspace, name, 'ran.txt');
    const [refused, other] = [ran('second/checks'), ran('first/.pi/hooks-test')];
    for (const file of [refused, other]) rmSync(file);
    const second = realpathSync(join(workbench.workspace, 'second'));
    writeFileSync(join(workbench.place.home, '.pi', 'agent', 'trust.json'), JSON.stringify({ [second]: false }));
    await workbench.runCommand('Test: Run All Tests');
    await untilLabelsIn(workbench, 'the refused file', ended('own.test.mjs (second/checks)', 'Errored'));
    await waitFor(() => existsSync(other) || undefined, { what: 'the tests of the other folder' });
    assert.equal(existsSync(refused), false);
  });
});

describe('hook tests without a folder', () => {
  let workbench: Workbench;
  before(async () => {
    workbench = await openWorkbench({
      folder: false,
      homeFiles: {
        '.pi/agent/hooks-test/hookline-testing.mjs': HELPER,
        '.pi/agent/hooks-test/own.test.mjs': TEST('of the user', ''),
      },
    });
  });
  after(() => workbench.close());

  it('are those of the user', async () => {
    await openExplorer(workbench);
    await workbench.runCommand('Test: Run All Tests');
    const all = await untilLabelsIn(workbench, 'the passed file', ended('own.test.mjs', 'Passed'));
    assert.equal(all.length, 1);
    await workbench.screenshot('hook-tests-no-folder');
  });
});

describe('hook tests of a folder in Restricted Mode', () => {
  let workbench: Workbench;
  before(async () => {
    workbench = await openWorkbench({
      trust: false,
      files: {
        '.pi/hooks-test/hookline-testing.mjs': HELPER,
        '.pi/hooks-test/own.test.mjs': TEST('of the folder', ''),
      },
    });
  });
  after(() => workbench.close());

  it('are listed and do not run', async () => {
    await openExplorer(workbench);
    await untilLabelsIn(workbench, 'the file', all => all.some(label => label.startsWith('own.test.mjs')));
    await workbench.runCommand('Test: Run All Tests');
    const question = workbench.page.locator('.monaco-dialog-box', { hasText: 'Do you trust the authors' });
    await question.waitFor();
    await workbench.screenshot('hook-tests-restricted');
    await workbench.page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await untilLabelsIn(workbench, 'the file as before', all => all.join() === 'own.test.mjs (Not yet run)');
    // What was started before the next answer would have written its file by then.
    await openExplorer(workbench);
    assert.equal(existsSync(join(workbench.workspace, '.pi', 'hooks-test', 'ran.txt')), false);
  });
});

/** The spoken labels of the tests that are visible in the Test Explorer. */
function labelsIn({ page }: Workbench): Promise<readonly string[]> {
  const rows = `document.querySelectorAll('.test-explorer .monaco-list-row[role="treeitem"]')`;
  return page.evaluate<readonly string[]>(`[...${rows}].map(row => row.getAttribute('aria-label') ?? '')`);
}

function untilLabelsIn(
  workbench: Workbench,
  what: string,
  isThere: (labels: readonly string[]) => boolean,
): Promise<readonly string[]> {
  return waitFor(
    async () => {
      const now = await labelsIn(workbench);
      return isThere(now) ? now : undefined;
    },
    { what },
  );
}

/** Focuses the Test Explorer once it is there, which takes a test. */
async function openExplorer(workbench: Workbench): Promise<void> {
  await workbench.page.getByRole('tab', { name: /^Testing/ }).waitFor();
  await workbench.runCommand('Testing: Focus on Test Explorer View');
  // The focus comes back from the Command Palette first.
  await workbench.page.locator('.test-explorer :focus').first().waitFor({ state: 'attached' });
}

/** Whether the Test Explorer shows that a test or file with this name ended so. */
function ended(name: string, how: string): (labels: readonly string[]) => boolean {
  return all => all.some(label => label.includes(name) && label.includes(`(${how}`));
}

/** Which of these processes run: one that ended but whose parent did not ask for it does not. */
async function running(pids: readonly number[]): Promise<readonly number[]> {
  const table = await readProcessTable();
  assert.ok(table);
  return pids.filter(pid => table.rows.some(row => row.pid === pid));
}
