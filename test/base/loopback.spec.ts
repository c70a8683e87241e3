import assert from 'node:assert/strict';
import { isOnThisMachine, serverOf } from '../../src/base/loopback';

describe('addresses of this machine', () => {
  it('are those of localhost, 127.0.0.1 and ::1, whatever their port and path', () => {
    for (const address of ['http://localhost', 'https://LOCALHOST:1/a', 'http://127.0.0.1:2', 'http://[::1]:3/v1']) {
      assert.equal(isOnThisMachine(address), true, address);
      assert.equal(isOnThisMachine(new URL(address)), true, address);
    }
  });

  it('are no others, and no text that is not an address', () => {
    const others = ['http://localhost.test', 'http://a.localhost', 'http://127.0.0.1.test', 'http://localhost@a.test'];
    for (const address of [...others, 'http://0.0.0.0', 'localhost', '127.0.0.1:80', '']) {
      assert.equal(isOnThisMachine(address), false, address);
    }
  });

  it('name one server by each of their names, but not with another port or scheme', () => {
    const names = ['http://localhost:80/v1', 'http://127.0.0.1', 'http://[::1]/v1/'];
    assert.deepEqual(new Set(names.map(serverOf)).size, 1);
    const servers = ['http://localhost:81', 'https://localhost', 'http://a.test', 'https://a.test', 'http://b.test'];
    assert.equal(new Set([...names, ...servers].map(serverOf)).size, 6);
    assert.equal(serverOf('a.test'), undefined);
  });
});
