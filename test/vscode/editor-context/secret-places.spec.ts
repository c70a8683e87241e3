import assert from 'node:assert/strict';
import { isSecretPlace } from '../../../src/vscode/editor-context/secret-places';

describe('places of secrets', () => {
  const SECRET = [
    ...[
      '.env',
      'app/.env',
      '.ENV',
      '.env.local',
      '.env.production',
      'prod.env',
      '.envrc',
      '.netrc',
      '_netrc',
      '.npmrc',
    ],
    ...['.ssh/config', 'home/.aws/credentials', 'deploy/id_rsa', 'id_ed25519_work', 'server.pem', 'tls/server.key'],
    ...['credentials.json', 'secrets.yml', 'service-account.json', 'client_secret_1.json', 'prod.tfvars', 'auth.json'],
  ];
  const PLAIN = [
    ...['.env.example', '.env.local.sample', 'example.env', 'id_rsa.pub', 'src/credentials.ts', 'src/secrets/vault.ts'],
    ...['environment.ts', 'env.d.ts', 'key.ts', 'src/auth.ts', 'package.json', 'a.envelope', '.environment'],
  ];

  for (const path of SECRET) it(`include ${path}`, () => assert.equal(isSecretPlace(path), true));
  for (const path of PLAIN) it(`do not include ${path}`, () => assert.equal(isSecretPlace(path), false));
});
