import assert from 'node:assert/strict';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { shippedModules } from '../../../src/hook-load/modules/shipped-modules';
import { DARK_PALETTE, HookTheme } from '../../../src/hook-contract/ui/theme';
import { ScriptedLlm } from '../../support/scripted-llm';
import { Loading } from '../support/loading';
import { TempFiles } from '../support/temp-files';
import { RUNTIME_EXPORTS } from '../../../src/hook-run/tool-call/runtime-exports';
import { itOnPosix, itWith } from '../../support/platform';

/** What a hook file makes of values of the package's root, run through the real loader. */
describe("values of today's pi-coding-agent", () => {
  let files: TempFiles;
  let loading: Loading;
  const copied: string[] = [];

  beforeEach(() => {
    files = new TempFiles();
    const modules = shippedModules({
      runtime: RUNTIME_EXPORTS,
      agentDir: () => files.path('agent'),
      theme: () => new HookTheme('dark', DARK_PALETTE),
      cwd: () => files.path('work'),
      packageDir: () => files.path('product'),
      copy: text => Promise.resolve(void copied.push(text)),
    });
    loading = new Loading(files, { modules: () => modules });
  });

  afterEach(() => loading.end());

  /** Runs the body of a hook that imports `names`; it gets the test's folder. */
  async function run(names: string, body: string, argument: unknown = files.path('work')): Promise<unknown> {
    files.write({
      'h.ts': `import { ${names} } from "@earendil-works/pi-coding-agent"; export default async (dir: any) => { ${body} };`,
    });
    return (await loading.load('h.ts')).factory(argument);
  }

  const USER = '{ role: "user", content: "hello", timestamp: 1 }';
  const ANSWER = `{ role: "assistant", content: [{ type: "text", text: "hi" }], api: "x", provider: "p", model: "m",
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } },
    stopReason: "stop", timestamp: 2 }`;

  it('SessionManager writes a session while the caller waits, and reads it again', async () => {
    const found = await run(
      'SessionManager',
      `const s = SessionManager.create(dir);
       const before = require("node:fs").existsSync(s.getSessionFile());
       s.appendModelChange("p", "m");
       const first = s.appendMessage(${USER});
       s.appendMessage(${ANSWER});
       s.appendLabelChange(first, "mine");
       s.appendSessionInfo("named");
       s.branch(first);
       const summary = s.branchWithSummary(first, "what was", undefined, true);
       const usage = s.appendUsage("cache_warm", "p", "m", { input: 1, output: 2 });
       const again = SessionManager.open(s.getSessionFile());
       again.appendCustomEntry("state", { n: 1 });
       const latest = SessionManager.continueRecent(dir);
       const list = await SessionManager.list(dir);
       const all = await SessionManager.listAll();
       return { before, file: s.getSessionFile(), leaf: again.getLeafEntry().type, label: latest.getLabel(first), name: latest.getSessionName(),
         roles: latest.buildSessionContext().messages.map(m => m.role), usage: usage.type, count: latest.getEntryCount(), persisted: s.isPersisted(),
         list: list.map(i => [i.name, i.messageCount, i.firstMessage, i.allMessagesText]), all: all.length, cwd: latest.getCwd() === dir,
         found: SessionManager.findById(dir, s.getSessionId()) === s.getSessionFile(), tree: latest.getTree().length, summary: latest.getEntry(summary).fromId !== undefined };`,
    );
    const { file, ...rest } = found as { readonly file: string };
    assert.deepEqual(rest, {
      before: false,
      leaf: 'custom',
      label: 'mine',
      name: 'named',
      roles: ['user', 'branchSummary'],
      usage: 'usage',
      count: 8,
      persisted: true,
      list: [['named', 2, 'hello', 'hello hi']],
      all: 1,
      cwd: true,
      found: true,
      tree: 1,
      summary: true,
    });
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    assert.equal(lines.length, 9);
    assert.ok(file.startsWith(files.path('agent', 'sessions')));
  });

  it('SessionManager branches, forks, and keeps nothing of a session in memory', async () => {
    const found = await run(
      'SessionManager, buildSessionContext',
      `const s = SessionManager.create(dir, dir + "/own");
       const first = s.appendMessage(${USER});
       s.appendLabelChange(first, "kept");
       s.appendMessage(${ANSWER});
       const source = s.getSessionFile();
       const made = s.createBranchedSession(first);
       const fork = SessionManager.forkFrom(source, dir + "/other", dir + "/forks");
       const memory = SessionManager.inMemory(dir, { id: "one" }, s.getEntries());
       const compacted = memory.appendCompaction("short", null, 10);
       let bad = ""; try { SessionManager.create(dir, undefined, { id: "-" }); } catch (e) { bad = e.message; }
       let none = ""; try { s.branch("nope"); } catch (e) { none = e.message; }
       return { isOther: made !== source, parent: s.getHeader().parentSession === source, label: s.getLabel(first), length: s.getEntries().length,
         fork: fork.getEntries().length, forked: fork.getHeader().parentSession === source, file: memory.getSessionFile(), id: memory.getSessionId(),
         kept: memory.getEntry(compacted).firstKeptEntryId === compacted, roles: memory.buildSessionContext().messages.map(m => m.role),
         entries: memory.buildContextEntries().map(e => e.type), projected: memory.buildSessionProjection().entries.map(e => e.messages.length),
         bad: /must consist of/.test(bad), none };`,
    );
    assert.deepEqual(found, {
      isOther: true,
      parent: true,
      label: 'kept',
      length: 2,
      fork: 3,
      forked: true,
      file: undefined,
      id: 'one',
      kept: true,
      roles: ['compactionSummary'],
      entries: ['compaction'],
      projected: [1],
      bad: true,
      none: 'Entry nope not found',
    });
  });

  it('SessionManager brings an older file up to date with a copy beside it, and refuses what is no session', async () => {
    const old = [
      '{"type":"session","id":"s","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/w"}',
      '{"type":"message","timestamp":"t","message":{"role":"user","content":"a","timestamp":1}}',
    ];
    files.write({ 'work/old.jsonl': `${old.join('\n')}\n`, 'work/bad.jsonl': 'rubbish\n' });
    const found = await run(
      'SessionManager',
      `const s = SessionManager.open(dir + "/old.jsonl");
       const untouched = require("node:fs").readFileSync(dir + "/old.jsonl", "utf8");
       s.appendCustomEntry("x");
       let bad = ""; try { SessionManager.open(dir + "/bad.jsonl"); } catch (e) { bad = e.message; }
       return { untouched, bad: /not a valid pi session/.test(bad), cwd: s.getCwd() };`,
    );
    assert.deepEqual(found, { untouched: `${old.join('\n')}\n`, bad: true, cwd: resolve('/w') });
    assert.ok(existsSync(files.path('work', 'old.jsonl.bak')));
    const lines = readFileSync(files.path('work', 'old.jsonl'), 'utf8').trimEnd().split('\n');
    assert.deepEqual([(JSON.parse(lines[0]!) as { version: number }).version, lines.length], [3, 3]);
  });

  it('SessionManager keeps what another program appended to an older file, whatever drafts were left beside it', async () => {
    const message = (text: string): string =>
      `{"type":"message","timestamp":"t","message":{"role":"user","content":"${text}","timestamp":1}}\n`;
    const header = '{"type":"session","id":"s","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/w"}\n';
    files.write({ 'work/shared.jsonl': header + message('a'), 'work/shared.jsonl.tmp': 'left' });
    await run(
      'SessionManager',
      `const s = SessionManager.open(dir + "/shared.jsonl");
       require("node:fs").appendFileSync(dir + "/shared.jsonl", ${JSON.stringify(message('theirs'))});
       s.appendCustomEntry("x");
       return {};`,
    );
    const lines = readFileSync(files.path('work', 'shared.jsonl'), 'utf8').trimEnd().split('\n');
    const entries = lines.map(line => JSON.parse(line) as { id: string; parentId?: string; message?: object });
    const [, first, theirs, ours] = entries;
    assert.equal(entries.length, 4);
    assert.match(JSON.stringify(theirs?.message), /theirs/);
    assert.deepEqual([theirs?.parentId, ours?.parentId], [first?.id, first?.id]);
  });

  it('the functions over session entries', async () => {
    const found = await run(
      'parseSessionEntries, migrateSessionEntries, buildSessionContext, buildContextEntries, buildSessionProjection, sessionEntryToContextMessages, getLatestCompactionEntry',
      `const text = ['{"type":"session","id":"s","version":3,"timestamp":"t","cwd":"/"}', 'rubbish',
         '{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","content":"one","timestamp":1}}',
         '{"type":"message","id":"b","parentId":"a","timestamp":"t","message":{"role":"user","content":"two","timestamp":2}}',
         '{"type":"compaction","id":"c","parentId":"b","timestamp":"t","summary":"short","firstKeptEntryId":"b","tokensBefore":3}',
         '{"type":"context_edit","id":"d","parentId":"c","timestamp":"t","targetId":"b","replacement":{"content":"2"}}'].join("\\n");
       const entries = parseSessionEntries(text).filter(e => e.type !== "session");
       const old = [{ type: "session", id: "s", timestamp: "t", cwd: "/" }, { type: "message", timestamp: "t", message: { role: "hookMessage", customType: "x", content: "m", display: true, timestamp: 1 } }];
       migrateSessionEntries(old);
       return { count: entries.length, context: buildSessionContext(entries).messages.map(m => m.summary ?? m.content), early: buildSessionContext(entries, "a").messages.length,
         none: buildSessionContext(entries, null).messages.length, ids: buildContextEntries(entries).map(e => e.id), same: buildContextEntries(entries)[1] === entries[1],
         projected: buildSessionProjection(entries).entries.map(e => [e.sourceEntry.id, e.messages.length]), of: sessionEntryToContextMessages(entries[0]).length,
         latest: getLatestCompactionEntry(entries).id, version: old[0].version, role: old[1].message.role, given: typeof old[1].id };`,
    );
    assert.deepEqual(found, {
      count: 4,
      context: ['short', '2'],
      early: 1,
      none: 0,
      ids: ['c', 'b', 'd'],
      same: true,
      projected: [
        ['c', 1],
        ['b', 1],
        ['d', 0],
      ],
      of: 1,
      latest: 'c',
      version: 3,
      role: 'custom',
      given: 'string',
    });
  });

  it('SettingsManager lays the files over each other and writes value by value', async () => {
    files.write({
      'agent/settings.json':
        '{ "defaultModel": "m", "mine": 1, "compaction": { "reserveTokens": 5, "modelOverrides": { "p/m": { "keepRecentTokens": 7 } } }, "defaultTools": ["read"] }',
      'work/.pi/settings.json': '{ "defaultModel": "theirs", "defaultTools": ["+grep"], "queueMode": "all" }',
    });
    const found = await run(
      'SettingsManager',
      `const s = SettingsManager.create(dir);
       s.setTheme("light"); s.setCompactionEnabled(false); s.setEnabledModels(["a/*"]); s.setProjectSkillPaths(["x"]); s.setEditorPaddingX(9);
       await s.flush();
       const memory = SettingsManager.inMemory({ retry: { maxDelayMs: 3 } });
       memory.applyOverrides({ shellPath: "/bin/zsh" });
       const untrusted = SettingsManager.create(dir, undefined, { projectTrusted: false });
       let refused = ""; try { untrusted.setProjectPackages([]); } catch (e) { refused = e.message; }
       return { model: s.getDefaultModel(), own: untrusted.getDefaultModel(), tools: s.getDefaultTools(), mode: s.getSteeringMode(), sizes: s.getCompactionSettings({ provider: "p", id: "m" }),
         retry: memory.getProviderRetrySettings(), shell: memory.getShellPath(), theme: s.getTheme(), padding: s.getEditorPaddingX(), skills: s.getSkillPaths(),
         mine: s.getSettings().mine, transport: s.getTransport(), refused, errors: s.drainErrors().length };`,
    );
    assert.deepEqual(found, {
      model: 'theirs',
      own: 'm',
      tools: ['read', 'grep'],
      mode: 'all',
      sizes: { enabled: false, reserveTokens: 5, keepRecentTokens: 7 },
      retry: { timeoutMs: undefined, maxRetries: undefined, maxRetryDelayMs: 3 },
      shell: '/bin/zsh',
      theme: 'light',
      padding: 3,
      skills: ['x'],
      mine: 1,
      transport: 'auto',
      refused: 'Project is not trusted; refusing to write project settings',
      errors: 0,
    });
    const saved = JSON.parse(readFileSync(files.path('agent', 'settings.json'), 'utf8')) as Record<string, unknown>;
    assert.deepEqual([saved['theme'], saved['mine'], saved['enabledModels']], ['light', 1, ['a/*']]);
    assert.match(readFileSync(files.path('work', '.pi', 'settings.json'), 'utf8'), /"skills"/);
  });

  it('SettingsManager without a folder reads the project of the conversations', async () => {
    files.write({ 'work/.pi/settings.json': '{ "enabledModels": ["p/m"] }' });
    assert.deepEqual(await run('SettingsManager', 'return SettingsManager.create().getEnabledModels();'), ['p/m']);
  });

  it('SettingsManager names a file that is broken, and never writes it', async () => {
    files.write({ 'agent/settings.json': '{ broken' });
    const found = await run(
      'SettingsManager',
      `const s = SettingsManager.create(dir); s.setTheme("x"); await s.flush();
       return s.drainErrors().map(e => [e.scope, e.path.endsWith("settings.json")]);`,
    );
    assert.deepEqual(found, [
      ['global', true],
      ['global', true],
    ]);
    assert.equal(readFileSync(files.path('agent', 'settings.json'), 'utf8'), '{ broken');
  });

  itWith('TCP', 'summaries ask the model that is given, and tell what they took', async () => {
    const llm = await ScriptedLlm.start();
    try {
      llm.otherwise(() => ({ text: 'the summary' }));
      const asked = { model: llm.model('openai-completions'), key: llm.apiKey };
      const found = await run(
        'generateSummary, generateSummaryWithUsage, compact, generateBranchSummary, findTurnStartIndex, getLastAssistantUsage, prepareBranchEntries, collectEntriesForBranchSummary, SessionManager',
        `const messages = [${USER}, ${ANSWER}];
         const s = SessionManager.inMemory("/w"); const first = s.appendMessage(messages[0]); s.appendMessage(messages[1]);
         const preparation = { firstKeptEntryId: "k", messagesToSummarize: messages, turnPrefixMessages: [], isSplitTurn: false, tokensBefore: 9, fileOps: { read: new Set(["a"]), written: new Set(), edited: new Set() }, settings: { enabled: true, reserveTokens: 1000, keepRecentTokens: 10 } };
         const full = await generateSummaryWithUsage(messages, dir.model, 1000, dir.key);
         const old = await generateSummary(messages, dir.model, 1000, dir.key, new AbortController().signal, "look at this");
         const made = await compact(preparation, dir.model, dir.key);
         const branch = await generateBranchSummary(s.getEntries(), { model: dir.model, apiKey: dir.key, signal: new AbortController().signal });
         const mine = await generateSummary(messages, dir.model, 1000, undefined, undefined, undefined, undefined, undefined, undefined, () => ({ result: async () => ({ ...messages[1], content: [{ type: "text", text: "own" }] }) }));
         return { text: full.text, counted: typeof full.usage.totalTokens, old, kept: made.firstKeptEntryId, files: made.details.readFiles, branch: branch.summary.includes("the summary"), mine,
           start: findTurnStartIndex(s.getEntries(), 1, 0), usage: getLastAssistantUsage(s.getEntries()).totalTokens, prepared: prepareBranchEntries(s.getEntries()).messages.length,
           collected: collectEntriesForBranchSummary(s, s.getLeafId(), first).entries.length };`,
        asked,
      );
      assert.deepEqual(found, {
        text: 'the summary',
        counted: 'number',
        old: 'the summary',
        kept: 'k',
        files: ['a'],
        branch: true,
        mine: 'own',
        start: 0,
        usage: 2,
        prepared: 2,
        collected: 1,
      });
    } finally {
      await llm.stop();
    }
  });

  it('skills, as functions that answer at once', async () => {
    const skill = (name: string, more = ''): string => `---\nname: ${name}\ndescription: Does <it>.\n${more}---\nBody`;
    files.write({
      'agent/skills/one/SKILL.md': skill('one'),
      'agent/skills/note.md': 'no head',
      'work/.pi/skills/one/SKILL.md': skill('one'),
      'work/.pi/skills/hidden.md': skill('hidden', 'disable-model-invocation: true\n'),
      'work/.pi/skills/skipped/SKILL.md': skill('skipped'),
      'work/.pi/skills/.gitignore': 'skipped\n',
      'work/AGENTS.md': 'be kind',
    });
    const found = await run(
      'loadSkills, loadSkillsFromDir, formatSkillsForPrompt, parseSkillBlock, loadProjectContextFiles, createSyntheticSourceInfo, getAgentDir',
      `const { skills, diagnostics } = loadSkills({ cwd: dir, agentDir: getAgentDir(), skillPaths: ["gone"], includeDefaults: true });
       const prompt = formatSkillsForPrompt(skills);
       return { skills: skills.map(s => [s.name, s.sourceInfo.scope, s.disableModelInvocation]), said: diagnostics.map(d => d.type + " " + d.message),
         one: loadSkillsFromDir({ dir: dir + "/.pi/skills/one", source: "mine" }).skills[0].sourceInfo.source,
         told: [prompt.includes("Does &lt;it&gt;."), prompt.includes("hidden"), formatSkillsForPrompt([])],
         block: parseSkillBlock('<skill name="a" location="/a">\\nB\\n</skill>\\n\\ngo').userMessage, context: loadProjectContextFiles({ cwd: dir, agentDir: getAgentDir() }).map(f => f.content),
         info: createSyntheticSourceInfo("p", { source: "s" }) };`,
    );
    assert.deepEqual(found, {
      skills: [
        ['one', 'user', false],
        ['hidden', 'project', true],
      ],
      said: ['warning skill path does not exist', 'collision name "one" collision'],
      one: 'mine',
      told: [true, false, ''],
      block: 'go',
      context: ['be kind'],
      info: { path: 'p', source: 's', scope: 'temporary', origin: 'top-level' },
    });
  });

  itWith('links', 'skills beside links that lead to themselves, each with a warning', async () => {
    files.write({ 'work/.pi/skills/one/SKILL.md': '---\nname: one\ndescription: One.\n---\nBody' });
    for (const name of ['loop', '.gitignore', 'one/.ignore']) {
      symlinkSync(basename(name), files.path(`work/.pi/skills/${name}`));
    }
    const found = await run(
      'loadSkills, getAgentDir',
      `const { skills, diagnostics } = loadSkills({ cwd: dir, agentDir: getAgentDir(), skillPaths: [dir + "/.pi/skills/loop"], includeDefaults: true });
       return { skills: skills.map(s => s.name), said: diagnostics.map(d => [d.type, d.path.slice(dir.length), /^ELOOP|not exist/.exec(d.message)?.[0]]) };`,
    );
    assert.deepEqual(found, {
      skills: ['one'],
      said: [
        ['warning', '/.pi/skills/.gitignore', 'ELOOP'],
        ['warning', '/.pi/skills/loop', 'ELOOP'],
        ['warning', '/.pi/skills/one/.ignore', 'ELOOP'],
        ['warning', '/.pi/skills/loop', 'not exist'],
      ],
    });
  });

  it('differences, code in colours, and themes of its own', async () => {
    const found = (await run(
      'renderDiff, generateDiffString, generateUnifiedPatch, highlightCode, Theme, truncateToVisualLines',
      `const { diff, firstChangedLine } = generateDiffString("a\\nb\\n", "a\\nc\\n");
       const own = new Theme({ accent: "#010203" }, { selectedBg: 196 }, "truecolor", { name: "own" });
       return { diff, firstChangedLine, patch: generateUnifiedPatch("f.txt", "a\\n", "b\\n").split("\\n").slice(0, 3), drawn: renderDiff(diff), code: highlightCode("const a = 'x';\\n// b", "typescript"),
         plain: highlightCode("a\\nb").length, unknown: highlightCode("a", "nolang").length, own: [own.name, own.fg("accent", "x"), own.bg("selectedBg", "x")], cut: truncateToVisualLines("a\\nb\\nc", 2, 10) };`,
    )) as Record<string, unknown>;
    assert.deepEqual([found['diff'], found['firstChangedLine']], [' 1 a\n-2 b\n+2 c', 2]);
    assert.deepEqual(found['patch'], ['--- f.txt', '+++ f.txt', '@@ -1,1 +1,1 @@']);
    assert.ok((found['drawn'] as string).includes('\x1b[7mb\x1b[27m'));
    const [first = '', second = ''] = found['code'] as string[];
    assert.ok(first.includes('\x1b[38;2;181;140;240mconst\x1b[39m'));
    assert.match(second, /\/\/ b/);
    assert.equal(stripVTControlCharacters(first), "const a = 'x';");
    assert.deepEqual([found['plain'], found['unknown']], [2, 1]);
    assert.deepEqual(found['own'], ['own', '\x1b[38;2;1;2;3mx\x1b[39m', '\x1b[48;2;255;0;0mx\x1b[49m']);
    const { visualLines, skippedCount } = found['cut'] as { visualLines: string[]; skippedCount: number };
    assert.deepEqual([visualLines.map(line => line.trim()), skippedCount], [['b', 'c'], 1]);
  });

  itOnPosix('images, shells, places, arguments and trust', async () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    files.write({ 'work/.pi/settings.json': '{}', 'agent/auth.json': '{ "p": { "type": "api_key", "key": "k" } }' });
    const found = await run(
      `convertToPng, resizeImage, formatDimensionNote, detectSupportedImageMimeTypeFromFile, getShellConfig, getPackageDir, getReadmePath, getDocsPath, getExamplesPath,
        copyToClipboard, parseArgs, readStoredCredential, hasTrustRequiringProjectResources, ProjectTrustStore, getAgentDir, VIRTUAL_MODEL_STATE_ENTRY`,
      `const fs = require("node:fs"); fs.writeFileSync(dir + "/x.png", Buffer.from("${png}", "base64")); fs.writeFileSync(dir + "/x.txt", "text");
       const image = await resizeImage(Buffer.from("${png}", "base64"), "image/png");
       await copyToClipboard("copied");
       const args = parseArgs(["-p", "hi", "--model", "m", "--tools", "read,bash", "@a.md", "--mine=1", "-z", "--no-approve"]);
       const store = new ProjectTrustStore(getAgentDir()); store.set(dir, true);
       const saved = store.get(dir + "/below"); store.set(dir, null);
       return { image: [image.width, image.wasResized, formatDimensionNote(image)], note: formatDimensionNote({ originalWidth: 4, originalHeight: 4, width: 2, height: 2, wasResized: true }),
         types: [await detectSupportedImageMimeTypeFromFile(dir + "/x.png"), await detectSupportedImageMimeTypeFromFile(dir + "/x.txt")], png: (await convertToPng("${png}", "image/png")).mimeType, none: await convertToPng("AAAA", "image/gif"),
         shell: getShellConfig().args, places: [getReadmePath(), getDocsPath(), getExamplesPath()].map(p => p.slice(getPackageDir().length)),
         args: [args.print, args.messages, args.model, args.tools, args.fileArgs, [...args.unknownFlags], args.diagnostics.length, args.projectTrustOverride],
         key: [readStoredCredential("p").key, readStoredCredential("q")], asks: [hasTrustRequiringProjectResources(dir), hasTrustRequiringProjectResources("/usr")], saved, after: store.get(dir), state: VIRTUAL_MODEL_STATE_ENTRY };`,
    );
    assert.deepEqual(found, {
      image: [1, false, undefined],
      note: '[Image: original 4x4, displayed at 2x2. Multiply coordinates by 2.00 to map to original image.]',
      types: ['image/png', null],
      png: 'image/png',
      none: null,
      shell: ['-c'],
      places: ['/README.md', '/docs', '/examples'],
      args: [true, ['hi'], 'm', ['read', 'bash'], ['a.md'], [['mine', '1']], 1, false],
      key: ['k', undefined],
      asks: [true, false],
      saved: true,
      after: null,
      state: 'pi.virtual-model-state',
    });
    assert.deepEqual(copied, ['copied']);
  });
});
