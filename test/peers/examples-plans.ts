import type { ExamplePlan } from './examples-drive';

const call = (name: string, given: Readonly<Record<string, unknown>>): NonNullable<ExamplePlan['calls']>[number] => ({
  name,
  arguments: given,
});

/** What an example needs beyond a question and its commands, to show what it is for. */
export const PLANS: Readonly<Record<string, ExamplePlan>> = {
  'bash-spawn-hook.ts': { files: { '../.profile': 'export GREETING=hi' } },
  'claude-rules.ts': { files: { '.claude/rules/style.md': '# Style\nShort words.' } },
  'confirm-destructive.ts': { prompts: ['a question', 'another'] },
  'dirty-repo-guard.ts': { git: true },
  'dynamic-tools.ts': { commandArgs: { 'add-echo-tool': 'shout' } },
  'git-checkpoint.ts': { git: true },
  'handoff.ts': { commandArgs: { handoff: 'go on with the second part' } },
  'hello.ts': { calls: [call('hello', { name: 'Ada' }), call('hello', {})] },
  'inline-bash.ts': { prompts: ['a question', 'what is !{echo inside} here', '!{echo whole}'] },
  'input-transform.ts': { prompts: ['?quick what is it', 'ping', 'plain'] },
  'input-transform-streaming.ts': { prompts: ['?quick what is it', 'plain'] },
  'permission-gate.ts': {
    calls: [call('bash', { command: 'rm -rf gone' }), call('bash', { command: 'sudo true' })],
    answers: { '⚠️ Dangerous command:\n\n  sudo true\n\nAllow?': 'No' },
  },
  'plan-mode': { args: ['--plan'], prompts: ['make a plan', 'go on'], commandArgs: { plan: '' } },
  'preset.ts': { files: { '.pi/presets.json': JSON.stringify({ quick: { tools: ['read'], thinkingLevel: 'off' } }) } },
  'protected-paths.ts': {
    calls: [call('write', { path: '.env', content: 'KEY=1' }), call('write', { path: 'free.txt', content: 'x' })],
  },
  'provider-payload.ts': { files: { '.pi/kept.txt': '' } },
  'question.ts': { calls: [call('question', { question: 'Which?', options: [{ label: 'a' }, { label: 'b' }] })] },
  'questionnaire.ts': {
    calls: [
      call('questionnaire', {
        questions: [
          {
            id: 'q',
            prompt: 'Which?',
            options: [
              { value: 'a', label: 'a' },
              { value: 'b', label: 'b' },
            ],
          },
        ],
      }),
    ],
  },
  'reload-runtime.ts': { calls: [call('reload_runtime', {})] },
  'session-name.ts': { commandArgs: { 'session-name': 'a name of its own' } },
  'send-user-message.ts': { commandArgs: { ask: 'what is it', steer: 'turn left', followup: 'and then' } },
  'shutdown-command.ts': { calls: [call('finish_and_exit', {})] },
  'structured-output.ts': {
    calls: [call('structured_output', { headline: 'a', summary: 'b', actionItems: ['c'] })],
  },
  subagent: {
    // The folder alone is a package of prompts to pi.
    entry: 'index.ts',
    files: { '../agent/agents/scout.md': '---\nname: scout\ndescription: looks\nmodel: scripted/one\n---\nYou look.' },
    calls: [
      call('subagent', { agent: 'scout', task: 'look around' }),
      call('subagent', { agent: 'nobody', task: 'x' }),
    ],
  },
  'tic-tac-toe.ts': { calls: [call('tic_tac_toe', { action: 'play' }), call('tic_tac_toe_see_board', {})] },
  'titlebar-spinner.ts': { timed: 'setTitle' },
  'todo.ts': {
    calls: [
      call('todo', { action: 'add', text: 'one' }),
      call('todo', { action: 'toggle', id: 1 }),
      call('todo', { action: 'list' }),
    ],
  },
  'tool-override.ts': {
    files: { '.env': 'KEY=1' },
    calls: [call('read', { path: '.env' }), call('read', { path: 'notes.txt' })],
  },
  'truncated-tool.ts': { calls: [call('rg', { pattern: 'words' })] },
  'with-deps': { calls: [call('parse_duration', { duration: '2 days' })] },
};
