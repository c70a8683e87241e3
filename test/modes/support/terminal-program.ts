/**
 * Text of a program that runs a command in a terminal of its own. Arguments: the words of the command as JSON, the lines with
 * which it answers when the command asks, separated by commas, and what it types before that.
 */
export const TERMINAL = `
const { spawn } = require('node:child_process');
const [command, answers, early = ''] = process.argv.slice(1);
const line = JSON.parse(command).map(word => "'" + word + "'").join(' ');
const child = spawn('script', ['-qec', line, '/dev/null']);
child.stdin.write(early);
const left = answers.split(',');
let said = '';
child.stdout.on('data', text => {
  said += text;
  process.stdout.write(text);
  if (said.includes('[yes/no]')) { said = ''; child.stdin.write(left.shift() + '\\n'); }
});
child.on('exit', code => process.exit(code ?? 1));
`;
