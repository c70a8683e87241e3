import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitBranch, watchGitBranch } from '../../../src/hook-run/api/ui/git-branch';
import { hook, hostWith, until } from '../../support/hook-host';
import { FakeConversation } from '../../support/fake-conversation';

interface FooterData {
  getGitBranch(): string | null;
  getAvailableProviderCount(): number;
  onBranchChange(callback: () => void): () => void;
}

describe('the git branch', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hookline-git-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const head = (text: string, folder = '.git'): void => {
    mkdirSync(join(root, folder), { recursive: true });
    // As git does it: a new file in the old one's place.
    writeFileSync(join(root, folder, 'HEAD.lock'), text);
    renameSync(join(root, folder, 'HEAD.lock'), join(root, folder, 'HEAD'));
  };

  it('is that of the repository around, with slashes in it, of a linked work tree, or none', () => {
    mkdirSync(join(root, 'a', 'b'), { recursive: true });
    assert.equal(gitBranch(join(root, 'a')), null);
    head('ref: refs/heads/fix/it\n');
    assert.equal(gitBranch(join(root, 'a', 'b')), 'fix/it');
    head('0123456789012345678901234567890123456789\n');
    assert.equal(gitBranch(root), 'detached');
    head('ref: refs/heads/linked\n', '.git/worktrees/w');
    writeFileSync(join(root, 'a', '.git'), 'gitdir: ../.git/worktrees/w\n');
    assert.equal(gitBranch(join(root, 'a', 'b')), 'linked');
  });

  it('tells when another one is checked out, until nobody listens', async () => {
    head('ref: refs/heads/main\n');
    let told = 0;
    const watching = watchGitBranch(root, () => (told += 1));
    head('ref: refs/heads/main\n');
    head('ref: refs/heads/other\n');
    await until(() => told > 0, 'the change is told');
    assert.equal(told, 1);
    watching.dispose();
    watchGitBranch(tmpdir(), () => assert.fail('there is no repository')).dispose();
  });

  it('is what footers of hooks get, with the number of providers', async () => {
    head('ref: refs/heads/main\n');
    let data: FooterData | undefined;
    let told = 0;
    const host = await hostWith([
      hook('ext', pi => {
        // eslint-disable-next-line @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access -- foreign
        pi.on('turn_start', (_event: unknown, ctx: { ui: { setFooter(factory: unknown): void } }) =>
          ctx.ui.setFooter((_tui: unknown, _theme: unknown, given: FooterData) => {
            data = given;
            given.onBranchChange(() => (told += 1));
            return { render: () => [given.getGitBranch()] };
          }),
        );
      }),
    ]);
    const conversation = new FakeConversation('c2', root);
    await host.runner.emit({ type: 'turn_start', turnIndex: 0, timestamp: 0 }, conversation);
    await conversation.ui.footer?.create({ requestRender: () => undefined } as never, () => undefined);
    assert.equal(data?.getGitBranch(), 'main');
    assert.equal(data.getAvailableProviderCount(), 1);
    head('ref: refs/heads/other\n');
    await until(() => told === 1, 'the footer is told');
    assert.equal(data.getGitBranch(), 'other');
    await host.host.dispose();
  });
});
