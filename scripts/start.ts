// `npm start -- [--desktop | --server] [--port N] [--no-open] [--keep]`: starts a VS Code with Hookline and a copy of the
// sample workspace.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageExtension } from './package.ts';
import { downloadDesktop, hasDisplay, installedDesktop, openDesktop, type Running } from './start/desktop.ts';
import { startPageProxy } from './start/page-proxy.ts';
import { claimPlace, type Place } from './start/place.ts';
import { runMain, UserError } from './support/fail.mjs';
import { OUT } from './support/paths.ts';
import { stopRequest } from './support/processes.ts';
import { writeUserSettings } from './support/user-settings.ts';
import { packVsix } from './support/vsix.ts';
import { installExtension, startServer } from './vscode-server.ts';

type Options = ReturnType<typeof readOptions>;

interface Opening {
  readonly options: Options;
  readonly place: Place;
  readonly vsixes: readonly string[];
}

interface NextSteps {
  readonly where: string;
  readonly address?: string;
  readonly first: string;
  readonly place: Place;
}

const USAGE = `npm start -- [--desktop | --server] [--port N] [--no-open] [--keep]
  --desktop  the desktop VS Code, which is downloaded where there is none
  --server   code-server in a browser tab, also where there is a desktop VS Code
  --port N   its port; any free one when left out
  --no-open  opens no browser
  --keep     keeps the folder with the sample workspace of the last time`;

const stopRequested = stopRequest();
// Ignores write errors, so that the script can still stop in order after its terminal was closed.
process.stdout.on('error', () => undefined);

await runMain(async () => {
  const options = readOptions();
  if (options.help) {
    console.log(USAGE);
    return;
  }
  const place = await claimPlace(options);
  try {
    console.log('hookline: building and packing');
    const vsixes = [await packageExtension(), packOpener()];
    const running = await open({ options, place, vsixes });
    await Promise.race([stopRequested, running.ended]);
    console.log('\nhookline: stopping');
    await running.stop();
  } finally {
    place.release();
  }
});

function readOptions() {
  const { values } = parsed();
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new UserError(`--port ${values.port} is not a port`);
  return { ...values, port };
}

function parsed() {
  try {
    return parseOptions();
  } catch (error) {
    throw new UserError(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}

function parseOptions() {
  return parseArgs({
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      desktop: { type: 'boolean', default: false },
      server: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      port: { type: 'string', default: '0' },
      'no-open': { type: 'boolean', default: false },
    },
  });
}

function packOpener(): string {
  const vsix = join(OUT, 'hookline-opener.vsix');
  packVsix({ folder: join(import.meta.dirname, 'start', 'opener'), vsix });
  return vsix;
}

async function open({ options, place, vsixes }: Opening): Promise<Running> {
  const installed = installedDesktop();
  const code = options.desktop ? (installed ?? (await downloadDesktop())) : installed;
  if (code && !options.server && (options.desktop || hasDisplay())) {
    const running = openDesktop({ code, vsixes, place });
    printNextSteps({ where: `the desktop VS Code of ${code}`, first: 'Look at its window', place });
    return running;
  }
  return openServer({ options, place, vsixes, reason: whyServer(options, installed) });
}

function whyServer(options: Options, installed: string | undefined): string {
  if (options.server) return 'as --server asks';
  return installed ? 'because there is no display' : 'because no desktop VS Code ("code") was found';
}

async function openServer({ options, place, vsixes, reason }: Opening & { readonly reason: string }): Promise<Running> {
  const { serverDataDir, extensionsDir } = place;
  if (!options.keep) writeUserSettings(serverDataDir, { 'security.workspace.trust.enabled': false });
  await installExtension({ vsixes, extensionsDir, serverDataDir });
  const connectionToken = randomBytes(20).toString('hex');
  // With the driver, hooks can be debugged in the browser too.
  const server = await startServer({ serverDataDir, extensionsDir, connectionToken, smokeTestDriver: true });
  const proxy = await startPageProxy({ target: server.port, port: options.port });
  const query = new URLSearchParams({ tkn: connectionToken, folder: addressPath(place.workspace) });
  const url = `${proxy.url}?${String(query)}`;
  const opened = !options['no-open'] && hasDisplay() && openInBrowser(url);
  printNextSteps({
    where: `VS Code's own server from npm, ${reason}`,
    address: url,
    first: opened ? 'Your browser opens that address' : 'Open that address in a browser on this machine',
    place,
  });
  const stop = (): Promise<void> => {
    proxy.close();
    return server.stop();
  };
  return { ended: server.ended, stop };
}

/** The path as a part of an address, in which C:\\x is /C:/x. */
function addressPath(path: string): string {
  return process.platform === 'win32' ? `/${path.replaceAll('\\', '/')}` : path;
}

function openInBrowser(url: string): boolean {
  const openers: Partial<Record<NodeJS.Platform, string>> = { win32: 'explorer', darwin: 'open' };
  const file = openers[process.platform] ?? 'xdg-open';
  const child = spawn(file, [url], { stdio: 'ignore', detached: true });
  child.on('error', () => console.log(`hookline: no browser could be opened by ${file}`));
  child.unref();
  return true;
}

function printNextSteps({ where, address, first, place }: NextSteps): void {
  console.log(`
Hookline runs in ${where}.
${address ? `\n  ${address}\n` : ''}
What next:
  1. ${first}; Hookline's chat is on the right. The demo model needs no key.
  2. Ask: run \`rm -rf build\`. A hook asks you first; answer No and see what the model does.
  3. Change a hook in ${join(place.workspace, '.pi', 'hooks')} and ask again: the change applies at once.

This VS Code trusts every folder, so open only your own folders in it. Ctrl+C stops everything.`);
}
