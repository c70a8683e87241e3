import { compileWhole } from '../../agent/tools/search/glob';

/** Folders in which programs keep keys and logins. */
const SECRET_FOLDERS = ['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.oci', '.password-store', '.secrets', '.vault'];

/** Files that usually contain keys, passwords or logins. */
const SECRET_FILES = [
  // Environments
  ...['.env', '.env.*', '*.env', '.envrc', '.dev.vars'],
  // Logins of programs
  ...['{.,_}netrc', '.npmrc', '.pypirc', '.pgpass', '.my.cnf', '.git-credentials', '.htpasswd', '.htdigest', '.boto'],
  ...['.s3cfg', '.terraformrc', 'auth.json', '{.,}credentials{,.json,.toml,.yml,.yaml,.csv,.ini,.xml}'],
  ...['client_secret*.json', 'service{-,_}account*.json', 'secrets.{json,yml,yaml,toml,ini,xml,properties}'],
  ...['*.tfvars', '*.tfvars.json', '*.tfstate', '*.tfstate.backup', '*.publishsettings', '*.ovpn'],
  // Keys and stores of keys
  ...['*.{pem,key,p8,p12,pfx,jks,keystore,kdbx,ppk,gpg,pgp,age}', 'id_{rsa,dsa,ecdsa,ed25519}{,_*,-*,.*}'],
];

/** Of these names, files that show what to write. */
const SAMPLES = ['*.{example,sample,template,dist,defaults,pub}', '{example,sample,template}.env'];

interface NameTests {
  readonly isFolder: (name: string) => boolean;
  readonly isFile: (name: string) => boolean;
  readonly isSample: (name: string) => boolean;
}

let tests: NameTests | undefined;

/** Made when a file is asked about, not when Hookline starts. */
function nameTests(): NameTests {
  tests ??= { isFolder: anyOf(SECRET_FOLDERS), isFile: anyOf(SECRET_FILES), isSample: anyOf(SAMPLES) };
  return tests;
}

function anyOf(globs: readonly string[]): (name: string) => boolean {
  return compileWhole(`{${globs.join(',')}}`);
}

/** Whether a file probably contains keys or passwords, by its path with `/`. Case does not count on any system. */
export function isSecretPlace(path: string): boolean {
  const names = path.toLowerCase().split('/');
  const file = names.pop() ?? '';
  const { isFile, isFolder, isSample } = nameTests();
  return names.some(isFolder) || (isFile(file) && !isSample(file));
}
