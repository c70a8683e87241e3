/** Text of a program that runs a command in a terminal of its own, and answers when it asks. */
export const TERMINAL = `
const { spawn } = require('node:child_process');
const [command, answer] = process.argv.slice(1);
const line = JSON.parse(command).map(word => "'" + word + "'").join(' ');
const env = { ...process.env };
delete env.AI_AGENT; delete env.PI_CODING_AGENT;
const child = spawn('script', ['-qec', line, '/dev/null'], { env });
let said = '';
child.stdout.on('data', text => {
  said += text;
  process.stdout.write(text);
  if (said.includes('[y/N]')) { said = ''; child.stdin.write(answer + '\\n'); }
});
child.on('exit', code => process.exit(code ?? 1));
`;
