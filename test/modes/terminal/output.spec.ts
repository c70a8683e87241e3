import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { toJson } from '../../../src/modes/terminal/output';
import { LineReader } from '../../../src/base/text/line-reader';

describe('lines of JSON', () => {
  it('hold anything that hooks put into an event', () => {
    const details: Record<string, unknown> = { big: 10n, text: 'a\nb\u2028c' };
    details['self'] = details;
    assert.deepEqual(JSON.parse(toJson({ details, plain: 1 })), {
      details: { big: '10', text: 'a\nb\u2028c', self: '[circular]' },
      plain: 1,
    });
    assert.ok(!toJson({ text: 'a\nb' }).includes('\n'));
  });

  it('are ended by LF alone, whatever way the bytes arrive', () => {
    const stream = new PassThrough();
    const reader = new LineReader(stream);
    const bytes = Buffer.from('{"a":"ü\u2028\u2029\u0085"}\r\n\n{"b":1}\n{"late":"€"}');
    for (const byte of bytes.subarray(0, 20)) stream.emit('data', Buffer.from([byte]));
    const lines: string[] = [];
    let ends = 0;
    reader.listen(
      line => lines.push(line),
      () => (ends += 1),
    );
    for (const byte of bytes.subarray(20)) stream.emit('data', Buffer.from([byte]));
    stream.emit('end');
    stream.emit('end');
    assert.deepEqual(lines, ['{"a":"ü\u2028\u2029\u0085"}', '{"b":1}', '{"late":"€"}']);
    assert.equal(ends, 1);
  });

  it('wait until somebody listens, their end included', () => {
    const stream = new PassThrough();
    const reader = new LineReader(stream);
    stream.emit('data', 'one\ntwo');
    stream.emit('end');
    const heard: string[] = [];
    reader.listen(
      line => heard.push(line),
      () => heard.push('end'),
    );
    assert.deepEqual(heard, ['one', 'two', 'end']);
  });

  it('end before one that is too long, and so does their stream', async () => {
    const stream = new PassThrough();
    const reader = new LineReader(stream, 10);
    const heard: string[] = [];
    const ended = new Promise<string>(resolve => {
      reader.listen(line => heard.push(line), resolve);
    });
    for (const chunk of ['short\n', 'a line', ' without', ' end', '\nmore\n']) stream.write(chunk);
    assert.equal(await ended, 'tooLong');
    assert.deepEqual(heard, ['short']);
    assert.ok(stream.destroyed);
  });

  it('go on after one that is too long, if it may be left out', () => {
    const stream = new PassThrough();
    let leftOut = 0;
    const reader = new LineReader(stream, 10, () => (leftOut += 1));
    const heard: string[] = [];
    reader.listen(
      line => heard.push(line),
      why => heard.push(`<${why}>`),
    );
    for (const chunk of ['short\na line', ' without', ' an end yet\nmore\nfar too long\n', 'last']) {
      stream.emit('data', chunk);
    }
    stream.emit('end');
    assert.deepEqual(heard, ['short', 'more', 'last', '<end>']);
    assert.equal(leftOut, 2);
  });
});
