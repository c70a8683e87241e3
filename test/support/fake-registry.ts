import { createHash } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A package as its author publishes it. */
export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  /** Path in the package -> text; `package.json` is made from the rest. */
  readonly files?: Readonly<Record<string, string>>;
  /** Further members of `package.json`. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** Entries of the tarball as they are, so also such as no honest program writes. */
  readonly entries?: readonly TarEntry[];
}

export interface TarEntry {
  /** As it stands in the tarball: the files of a package stand below `package/`. */
  readonly path: string;
  readonly text?: string;
  /** What a symbolic link leads to. */
  readonly linkTo?: string;
}

interface Release {
  readonly manifest: Readonly<Record<string, unknown>>;
  tarball: Buffer;
  integrity: string;
  shasum: string;
}

const PUBLISHER = { name: 'tester', email: 'tester@example.test' };
const PUBLISHED = '2026-01-02T03:04:05.000Z';

/** A registry of npm packages on 127.0.0.1 that serves what a test publishes: packuments, tarballs and the search. */
export class FakeRegistry {
  private readonly packages = new Map<string, Map<string, Release>>();
  private readonly held: (() => void)[] = [];
  private holding = false;
  private searches = true;
  private waiting: (() => void)[] = [];
  /** Paths that were asked for, in order. */
  readonly requests: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async open(): Promise<FakeRegistry> {
    const server = createServer((request, response) => {
      registry.answer(decodeURIComponent(request.url ?? '/'), response);
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const registry = new FakeRegistry(server, `http://127.0.0.1:${port}/`);
    return registry;
  }

  /** What npm needs in its environment to ask this registry alone, with a cache of its own in `home`. Our Node runs it. */
  environment(home: string): Readonly<Record<string, string>> {
    return {
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
      npm_config_registry: this.url,
      npm_config_cache: `${home}/.npm-cache`,
      npm_config_userconfig: `${home}/.npmrc`,
      npm_config_globalconfig: `${home}/.npmrc-global`,
      npm_config_update_notifier: 'false',
      npm_config_fetch_retries: '0',
    };
  }

  publish(published: PublishedPackage): void {
    const { name, version, files = {}, manifest = {}, entries = [] } = published;
    const whole = { name, version, ...manifest };
    const own = Object.entries({ 'package.json': JSON.stringify(whole), ...files });
    const tarball = tarballOf([...own.map(([path, text]) => ({ path: `package/${path}`, text })), ...entries]);
    const releases = this.packages.get(name) ?? new Map<string, Release>();
    releases.set(version, { manifest: whole, tarball, ...digestsOf(tarball) });
    this.packages.set(name, releases);
  }

  unpublish(name: string, version: string): void {
    this.packages.get(name)?.delete(version);
  }

  /** Serves another tarball than the one that the packument tells of. */
  corrupt(name: string, version: string): void {
    const release = this.packages.get(name)?.get(version);
    if (release !== undefined) release.tarball = tarballOf([{ path: 'package/evil.js', text: 'evil' }]);
  }

  /** From now on there is no search, as in some registries of companies. */
  stopSearching(): void {
    this.searches = false;
  }

  /** From now on tarballs are not sent until {@link release}. */
  hold(): void {
    this.holding = true;
  }

  /** Resolves when a tarball was asked for that is held. */
  async whenHeld(): Promise<void> {
    if (this.held.length > 0) return;
    await new Promise<void>(resolve => this.waiting.push(resolve));
  }

  release(): void {
    this.holding = false;
    for (const send of this.held.splice(0)) send();
  }

  async close(): Promise<void> {
    this.release();
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  private answer(path: string, response: ServerResponse): void {
    this.requests.push(path);
    if (this.searches && path.startsWith('/-/v1/search')) {
      sendJson(response, this.found(path));
      return;
    }
    const tarball = /^\/(.+)\/-\/.+-(\d+\.\d+\.\d+.*)\.tgz$/.exec(path);
    if (tarball !== null) {
      this.sendTarball(tarball[1] ?? '', tarball[2] ?? '', response);
      return;
    }
    const releases = this.packages.get(path.slice(1));
    if (releases === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"Not found"}');
      return;
    }
    sendJson(response, this.packument(path.slice(1), releases));
  }

  private sendTarball(name: string, version: string, response: ServerResponse): void {
    const send = (): void => {
      const release = this.packages.get(name)?.get(version);
      response.writeHead(release === undefined ? 404 : 200, { 'content-type': 'application/octet-stream' });
      response.end(release?.tarball);
    };
    if (!this.holding) {
      send();
      return;
    }
    this.held.push(send);
    for (const tell of this.waiting.splice(0)) tell();
  }

  private packument(name: string, releases: ReadonlyMap<string, Release>): object {
    const versions = [...releases].map(([version, { manifest, integrity, shasum }]) => {
      const file = `${name.split('/').at(-1) ?? ''}-${version}.tgz`;
      const scripts = manifest['scripts'] as Record<string, string> | undefined;
      const hasInstallScript = ['preinstall', 'install', 'postinstall'].some(script => scripts?.[script] !== undefined);
      const dist = { tarball: `${this.url}${name}/-/${file}`, integrity, shasum };
      return [
        version,
        { ...manifest, dist, _npmUser: PUBLISHER, ...(hasInstallScript ? { hasInstallScript } : {}) },
      ] as const;
    });
    const [latest = ''] = [...releases.keys()].filter(version => !version.includes('-')).reverse();
    const time = Object.fromEntries([...releases.keys()].map(version => [version, PUBLISHED]));
    return { name, 'dist-tags': { latest }, versions: Object.fromEntries(versions), time };
  }

  private found(path: string): object {
    const text = new URL(path, this.url).searchParams.get('text') ?? '';
    const wanted = text.split(/[\s,]+/).filter(word => word !== '');
    const objects = [...this.packages].flatMap(([name, releases]) => {
      const [version = '', release] = [...releases].at(-1) ?? [];
      const { keywords = [], description = '' } = release?.manifest ?? {};
      const list = keywords as string[];
      const fits = wanted.every(word =>
        word.startsWith('keywords:')
          ? list.includes(word.slice('keywords:'.length))
          : `${name} ${list.join(' ')}`.includes(word),
      );
      const about = { maintainers: [], links: {}, publisher: { username: PUBLISHER.name }, date: PUBLISHED };
      return fits ? [{ package: { name, version, description, keywords: list, ...about } }] : [];
    });
    return { objects, total: objects.length, time: '' };
  }
}

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function digestsOf(tarball: Buffer): { readonly integrity: string; readonly shasum: string } {
  return {
    integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
    shasum: createHash('sha1').update(tarball).digest('hex'),
  };
}

const BLOCK = 512;

/** A gzipped tar archive in the old format that every program reads. */
export function tarballOf(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, text = '', linkTo }) => {
    const content = Buffer.from(linkTo === undefined ? text : '');
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
    return [headerOf(path, content.length, linkTo), content, padding];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]));
}

function headerOf(path: string, size: number, linkTo: string | undefined): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(path, 0, 100);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write(linkTo === undefined ? '0' : '2', 156);
  header.write(linkTo ?? '', 157, 100);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}
