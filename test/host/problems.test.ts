import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { HooklineWindow } from '../../src/vscode/window/window';
import { hookline, until, workspaceFolder, toolsAreOver } from './support/extension';

describe('problems of running hooks', () => {
  let window: HooklineWindow;
  const hook = join(workspaceFolder(), '.pi', 'hooks', 'zz-problems.ts');
  const uri = vscode.Uri.file(hook);

  before(async () => {
    window = await (await hookline()).window.get();
    await window.conversations.active.conversation.sessions.newSession();
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await toolsAreOver();
    rmSync(hook, { force: true });
    await until('the hook is gone', () => !window.hooks.infos().some(info => info.path === hook));
    assert.deepEqual(problems(), []);
  });

  const problems = (): readonly vscode.Diagnostic[] =>
    vscode.languages.getDiagnostics(uri).filter(problem => problem.source === 'Hookline');
  const told = (what: string, least = 1): Promise<readonly vscode.Diagnostic[]> =>
    until(what, () => (problems().length >= least ? problems() : undefined));
  const write = async (text: string): Promise<void> => {
    await toolsAreOver();
    writeFileSync(hook, text);
    await until('the hook is live', () => window.hooks.infos().some(info => info.path === hook));
  };
  /** The hook in the editor, which learns late of a change on disk. */
  const opened = async (): Promise<vscode.TextDocument> => {
    const document = await vscode.workspace.openTextDocument(uri);
    await until('the editor has the text on disk', () => document.getText() === readFileSync(hook, 'utf8'));
    return document;
  };
  const actionsAt = async (range: vscode.Range): Promise<readonly vscode.CodeAction[]> => {
    await opened();
    return vscode.commands.executeCommand<vscode.CodeAction[]>('vscode.executeCodeActionProvider', uri, range);
  };
  const apply = async (action: vscode.CodeAction | undefined): Promise<void> => {
    assert.ok(action?.edit, 'there is such a fix');
    await vscode.workspace.applyEdit(action.edit);
    const document = await vscode.workspace.openTextDocument(uri);
    await document.save();
  };

  it('stand on the name of an event that nobody knows, and go with the fix that renames it', async () => {
    await write(`export default pi => {\n  pi.on('agent_end', () => {});\n  pi.on('tool_cal', () => {});\n};\n`);
    const [problem] = await told('it is told');
    assert.match(problem?.message ?? '', /tool_cal.*Did you mean "tool_call"/);
    assert.deepEqual(problem?.range, new vscode.Range(2, 9, 2, 17));
    const actions = await actionsAt(problem.range);
    await apply(actions.find(({ title }) => title === 'Change to "tool_call"'));
    await until('it is gone', () => problems().length === 0);
    assert.ok(window.hooks.infos().some(info => info.path === hook && info.handlers[1]?.event === 'tool_call'));
  });

  it('stand on the line that threw or whose answer has a wrong shape, until the file is loaded anew', async () => {
    await write(
      [
        'interface Unused {\n  a: string;\n}',
        'export default pi => {',
        "  pi.on('turn_start', () => {",
        "    const text: string = 'broken';",
        '    throw new Error(text);',
        '  });',
        "  pi.on('tool_result', () => ({ content: 'no list' }));",
        '};\n',
      ].join('\n'),
    );
    await window.conversations.active.submit('list');
    const found = await told('both are told', 2);
    const byCode = new Map(found.map(problem => [problem.code, problem]));
    assert.equal(byCode.get('threw')?.range.start.line, 6);
    assert.equal(byCode.get('threw')?.severity, vscode.DiagnosticSeverity.Error);
    assert.match(byCode.get('threw')?.message ?? '', /broken/);
    assert.equal(byCode.get('wrong-shape')?.range.start.line, 8);
    assert.match(byCode.get('wrong-shape')?.message ?? '', /"content" must be an array/);
    await toolsAreOver();
    writeFileSync(hook, `export default pi => {\n  pi.on('turn_start', () => {});\n};\n`);
    await until('they are gone', () => problems().length === 0);
  });

  it('offer `return` for an answer that stands alone, and a type for `pi`', async () => {
    await write(
      `export default pi => {\n  pi.on('tool_call', () => {\n    { block: true, reason: 'no' };\n  });\n};\n`,
    );
    const [problem] = await told('the syntax error is told');
    assert.equal(problem?.range.start.line, 2);
    const actions = await actionsAt(problem.range);
    await apply(actions.find(({ title }) => title === 'Add "return" before the answer'));
    await until('it loads', () => problems().length === 0);
    const typed = await actionsAt(new vscode.Range(0, 0, 0, 0));
    await apply(typed.find(({ title }) => /Add the type \w+API/.test(title)));
    const text = (await vscode.workspace.openTextDocument(uri)).getText();
    assert.match(text, /^import type \{ (\w+) \} from '@mariozechner\/pi-coding-agent.*\nexport default \(pi: \1\) =>/);
    await until('it is live', () =>
      window.hooks.infos().some(info => info.path === hook && info.state.type === 'live'),
    );
  });

  it('strike out members of older dialects, and rename what can be renamed', async () => {
    await write(
      [
        "import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';",
        'export default (pi: ExtensionAPI) => {',
        "  // pi.on('session_before_branch') in a comment is none",
        "  pi.on('session_before_branch', () => {});",
        '};\n',
      ].join('\n'),
    );
    const [problem] = await told('it is told');
    assert.equal(problem?.code, 'deprecated');
    assert.match(problem.message, /"session_before_branch" is from the dialect tree and omp\. .* session_before_fork/);
    assert.deepEqual(problem.range, new vscode.Range(3, 9, 3, 30));
    assert.deepEqual(problem.tags, [vscode.DiagnosticTag.Deprecated]);
    const actions = await actionsAt(problem.range);
    await apply(actions.find(({ title }) => title === 'Change to "session_before_fork"'));
    await until('it is gone', () => problems().length === 0);
  });

  it('tell two commands of one name', async () => {
    await write(`export default pi => {\n  pi.registerCommand('stats', { handler: async () => {} });\n};\n`);
    const [problem] = await told('it is told');
    assert.match(problem?.message ?? '', /"\/stats" is also registered by .*This one is "\/stats:2"/);
    assert.equal(problem?.range.start.line, 1);
    assert.equal(problem.severity, vscode.DiagnosticSeverity.Warning, 'the hook runs all the same');
  });

  it('are not there for lenses, which count instead and follow what is typed', async () => {
    await write(`export default pi => {\n  pi.on('tool_call', () => undefined);\n};\n`);
    const lenses = (): Thenable<vscode.CodeLens[]> =>
      vscode.commands.executeCommand('vscode.executeCodeLensProvider', uri);
    const document = await opened();
    const titles = async (): Promise<readonly string[]> => (await lenses()).map(lens => lens.command?.title ?? '');
    assert.deepEqual(await titles(), ['not called yet', 'Test with Event', 'Debug', 'Log']);
    await window.conversations.active.submit('list');
    assert.match((await titles())[0] ?? '', /^1× · p95 .* · no decision$/);
    const typing = new vscode.WorkspaceEdit();
    typing.insert(uri, new vscode.Position(0, 0), '// typed\n// above\n');
    await vscode.workspace.applyEdit(typing);
    assert.ok((await lenses()).every(lens => lens.range.start.line === 3));
    await document.save();
    const settings = vscode.workspace.getConfiguration('hookline');
    await settings.update('codeLens', false, vscode.ConfigurationTarget.Global);
    await until('they can be turned off', async () => (await titles()).length === 0);
    await settings.update('codeLens', undefined, vscode.ConfigurationTarget.Global);
  });
});
