import assert from 'node:assert/strict';
import { deprecatedIn, renamedTo } from '../../src/hook-authoring/deprecated';

describe('members of older dialects', () => {
  const found = (text: string, dialect: 'v1' | 'v2' | 'tree' | 'omp' | 'ext') =>
    deprecatedIn(text, dialect).map(({ line, word, isOwn }) => `${String(line)} ${word}${isOwn ? ' own' : ''}`);

  it('are found by line, with whether the file is of the dialect that had them', () => {
    const text = `export default pi => {
  pi.on("session", async (event, ctx) => {
    await ctx.exec('ls', []);
    pi.send('done');
  });
  pi.command('x', {});
};`;
    assert.deepEqual(found(text, 'v1'), ['2 session own', '3 exec own', '4 send own', '6 command']);
    assert.deepEqual(found(text, 'ext'), ['2 session', '3 exec', '4 send', '6 command']);
  });

  it('are not found in comments, in other names, or in what is new', () => {
    const text = `/* pi.send('x')
  pi.on('session') */
pi.on('session_start', () => {}); // ctx.exec('ls')
regex.exec('x'); socket.send('x'); pi.sendMessage({}); pi.on('session_fork', () => {});`;
    assert.deepEqual(found(text, 'ext'), []);
  });

  it('are renamed only where nothing else has to change', () => {
    assert.equal(renamedTo('session_before_branch'), 'session_before_fork');
    assert.equal(renamedTo('session_branch'), undefined);
    assert.equal(renamedTo('messageTransformer'), 'convertToLlm');
    assert.equal(renamedTo('send'), undefined);
  });
});
