/** Who may use the codec server: holders of a bearer token from the settings, or of Temporal UI's log-in as a JWT. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type JWTPayload, jwtVerify } from 'jose';
import { type Config, ConfigError } from '../process/settings';
import { loginKeys } from './login-keys';
import type { Role } from './mask';

/** The role that an `Authorization` header proves; undefined if it proves none. */
export type Access = (authorization: string | undefined) => Promise<Role | undefined>;

export type AccessSettings = Pick<
  Config,
  | 'CODEC_SERVER_TOKEN'
  | 'CODEC_SERVER_SUPPORT_TOKEN'
  | 'CODEC_SERVER_INSECURE_VIEWERS'
  | 'CODEC_SERVER_JWKS_URL'
  | 'CODEC_SERVER_JWT_ISSUER'
  | 'CODEC_SERVER_JWT_AUDIENCE'
  | 'CODEC_SERVER_JWT_ROLES_CLAIM'
  | 'CODEC_SERVER_JWT_SUPPORT_ROLE'
>;

/** Only public-key signatures: a JWKS is public, so it cannot hold the secret of an HMAC. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/**
 * The access that the settings describe. `onKeyFailure` is told why the keys of the log-in cannot be read. Throws ConfigError if the
 * settings let nobody in, or accept JWTs for other applications.
 */
export function accessFrom(settings: AccessSettings, onKeyFailure: (error: unknown) => void): Access {
  const proofs = [byToken(settings), byLogin(settings, onKeyFailure)].filter((proof) => proof !== undefined);
  const nobody = settings.CODEC_SERVER_INSECURE_VIEWERS ? 'viewer' : undefined;
  if (proofs.length === 0 && nobody === undefined) {
    throw new ConfigError(
      'The codec server decrypts, so it must know who uses it: set CODEC_SERVER_TOKEN or CODEC_SERVER_SUPPORT_TOKEN, or CODEC_SERVER_JWKS_URL for the log-in of Temporal UI.',
    );
  }
  return async (authorization) => {
    if (authorization === undefined) return nobody;
    const [, token] = /^Bearer ([\w\-.~+/]+=*)$/i.exec(authorization ?? '') ?? [];
    if (token === undefined) return undefined;
    for (const proof of proofs) {
      const role = await proof(token);
      if (role) return role;
    }
    return undefined;
  };
}

type Proof = (token: string) => Promise<Role | undefined> | Role | undefined;

function byToken(settings: AccessSettings): Proof | undefined {
  const { CODEC_SERVER_TOKEN: viewer, CODEC_SERVER_SUPPORT_TOKEN: support } = settings;
  if (viewer === undefined && support === undefined) return undefined;
  if (viewer === support) {
    throw new ConfigError(
      'CODEC_SERVER_TOKEN and CODEC_SERVER_SUPPORT_TOKEN are the same; choose two different tokens.',
    );
  }
  return (token) => {
    const isSupport = support !== undefined && isSame(token, support);
    const isViewer = viewer !== undefined && isSame(token, viewer);
    if (isSupport) return 'support';
    return isViewer ? 'viewer' : undefined;
  };
}

/** Compares in constant time, so that the time does not show how much of the token is right. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function byLogin(settings: AccessSettings, onKeyFailure: (error: unknown) => void): Proof | undefined {
  const { CODEC_SERVER_JWKS_URL: url, CODEC_SERVER_JWT_ISSUER: issuer, CODEC_SERVER_JWT_AUDIENCE: audience } = settings;
  if (url === undefined) return undefined;
  if (issuer === undefined || audience === undefined) {
    throw new ConfigError(
      'CODEC_SERVER_JWKS_URL needs CODEC_SERVER_JWT_ISSUER and CODEC_SERVER_JWT_AUDIENCE: without them a log-in to any other application would be accepted.',
    );
  }
  const keys = loginKeys(url, onKeyFailure);
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp'],
      });
      return rolesOf(payload, settings.CODEC_SERVER_JWT_ROLES_CLAIM).includes(settings.CODEC_SERVER_JWT_SUPPORT_ROLE)
        ? 'support'
        : 'viewer';
    } catch {
      return undefined;
    }
  };
}

function rolesOf(payload: JWTPayload, claim: string): unknown[] {
  const roles = payload[claim];
  return Array.isArray(roles) ? roles : [roles];
}
