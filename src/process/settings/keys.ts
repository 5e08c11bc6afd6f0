/** Settings of encryption, of sealed card data, and of the codec server that shows people what is encrypted. */
import { settingDocs } from './meaning';
import { sealingJwks, sealingPublicJwk } from './sealing-types';
import { bearerToken, encryptionKeys, flag, httpAddress, nonEmpty, origins, port } from './types';

export const KEY_SETTINGS = {
  PAYMENTS_ENCRYPTION_KEYS: encryptionKeys.optional().register(settingDocs, {
    fromFile: true,
    readBy: 'worker, webhook, commands, codec server',
    meaning: 'Keys for payloads: `id:base64` of 32 bytes, by commas. The first encrypts.',
  }),
  PAYMENTS_INSECURE_CLEAR_TEXT_HISTORIES: flag.prefault('false').register(settingDocs, {
    readBy: 'worker, webhook, commands',
    meaning: '`true` lets them run without keys. Temporal then keeps buyers’ data in clear text.',
  }),
  PAYMENTS_MIGRATION_ACCEPT_CLEAR_TEXT: flag.prefault('false').register(settingDocs, {
    readBy: 'worker, webhook, commands',
    meaning:
      '`true` takes clear text beside keys, until `keys needed TIME` counts nothing from before there were keys.',
  }),
  PAYMENTS_INSECURE_PLAIN_HTTP: flag.prefault('false').register(settingDocs, {
    readBy: 'worker, codec server',
    meaning: '`true` takes `http://` for gateway, webhook, events and JWKS beyond loopback and names without a dot.',
  }),
  PAYMENTS_SEALING_JWKS: sealingJwks.optional().register(settingDocs, {
    fromFile: true,
    readBy: 'worker',
    meaning: 'Private keys that open sealed fields. A file that changes is read again.',
  }),
  PAYMENTS_SEALING_PUBLIC_JWK: sealingPublicJwk
    .optional()
    .register(settingDocs, { fromFile: true, readBy: 'commands', meaning: 'The public key that seals them.' }),
};

export const CODEC_SERVER_SETTINGS = {
  CODEC_SERVER_HOST: nonEmpty
    .prefault('127.0.0.1')
    .register(settingDocs, { readBy: 'codec server', meaning: 'The address that it listens on.' }),
  CODEC_SERVER_PORT: port
    .prefault('8490')
    .register(settingDocs, { readBy: 'codec server', meaning: 'The port that it listens on; `0` for a free one.' }),
  CODEC_SERVER_UI_ORIGINS: origins.optional().register(settingDocs, {
    readBy: 'codec server',
    meaning: 'Where browsers find Temporal UI, such as `https://temporal.example.com`. Other pages are refused.',
  }),
  CODEC_SERVER_TOKEN: bearerToken.optional().register(settingDocs, {
    fromFile: true,
    readBy: 'codec server',
    meaning: 'Who sends this bearer token sees payloads without personal data.',
  }),
  CODEC_SERVER_SUPPORT_TOKEN: bearerToken.optional().register(settingDocs, {
    fromFile: true,
    readBy: 'codec server',
    meaning: 'Who sends this one sees names, e-mail addresses and phone numbers too.',
  }),
  CODEC_SERVER_INSECURE_VIEWERS: flag.prefault('false').register(settingDocs, {
    readBy: 'codec server',
    meaning: '`true` takes who sends no token for a viewer: for a Temporal UI without a log-in on your own machine.',
  }),
  CODEC_SERVER_JWKS_URL: httpAddress.optional().register(settingDocs, {
    readBy: 'codec server',
    meaning: "Public keys of Temporal UI's log-in (OIDC). The UI then sends its access token.",
  }),
  CODEC_SERVER_JWT_ISSUER: nonEmpty
    .optional()
    .register(settingDocs, { readBy: 'codec server', meaning: 'The `iss` that such a token must have.' }),
  CODEC_SERVER_JWT_AUDIENCE: nonEmpty
    .optional()
    .register(settingDocs, { readBy: 'codec server', meaning: 'The `aud` that such a token must have.' }),
  CODEC_SERVER_JWT_ROLES_CLAIM: nonEmpty
    .prefault('roles')
    .register(settingDocs, { readBy: 'codec server', meaning: 'The claim of the token that lists the roles.' }),
  CODEC_SERVER_JWT_SUPPORT_ROLE: nonEmpty.prefault('payments-support').register(settingDocs, {
    readBy: 'codec server',
    meaning: 'The role that sees as much as the support token.',
  }),
};
