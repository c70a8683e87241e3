import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';

/**
 * Tells the model on which branch it works and what is not committed yet, with the first prompt and then whenever that
 * changed. The message is stored, so later turns know it too; the chat does not show it.
 */
export default function gitFacts(pi: HookAPI) {
  let told = '';

  pi.on('session', event => {
    if (event.reason === 'new' || event.reason === 'switch') told = '';
  });

  pi.on('before_agent_start', async () => {
    const { stdout, code } = await pi.exec('git', ['status', '--short', '--branch'], { timeout: 5000 });
    if (code !== 0) return undefined; // No repository here.
    const facts = stdout.trim();
    if (facts === told) return undefined;
    told = facts;
    return { message: { customType: 'git-facts', content: `State of the repository:\n${facts}`, display: false } };
  });
}
