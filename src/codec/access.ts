/** Who asks the codec server: a bearer token of the settings, or the log-in that Temporal UI passes on as a JWT. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createRemoteJWKSet, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { type Config, ConfigError } from '../config';
import type { Role } from './mask';

/** The role behind an `Authorization` header; undefined where it proves nothing. */
export type Access = (authorization: string | undefined) => Promise<Role | undefined>;

export type AccessSettings = Pick<
  Config,
  | 'CODEC_SERVER_TOKEN'
  | 'CODEC_SERVER_SUPPORT_TOKEN'
  | 'CODEC_SERVER_JWKS_URL'
  | 'CODEC_SERVER_JWT_ISSUER'
  | 'CODEC_SERVER_JWT_AUDIENCE'
  | 'CODEC_SERVER_JWT_ROLES_CLAIM'
  | 'CODEC_SERVER_JWT_SUPPORT_ROLE'
>;

/** Signatures by a public key only: a JWKS holds no secret that could verify others. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** Throws ConfigError where nobody could prove anything, or a JWT of any other application would do. */
export function accessBy(settings: AccessSettings): Access {
  const ways = [tokens(settings), logIns(settings)].filter((way) => way !== undefined);
  if (ways.length === 0) {
    throw new ConfigError(
      'The codec server decrypts, so it must know who asks: set CODEC_SERVER_TOKEN or CODEC_SERVER_SUPPORT_TOKEN, or CODEC_SERVER_JWKS_URL for the log-in of Temporal UI.',
    );
  }
  return async (authorization) => {
    const [, token] = /^Bearer ([\w\-.~+/]+=*)$/i.exec(authorization ?? '') ?? [];
    if (token === undefined) return undefined;
    for (const way of ways) {
      const role = await way(token);
      if (role) return role;
    }
    return undefined;
  };
}

type Way = (token: string) => Promise<Role | undefined> | Role | undefined;

function tokens(settings: AccessSettings): Way | undefined {
  const { CODEC_SERVER_TOKEN: viewer, CODEC_SERVER_SUPPORT_TOKEN: support } = settings;
  if (viewer === undefined && support === undefined) return undefined;
  if (viewer === support) {
    throw new ConfigError('CODEC_SERVER_TOKEN and CODEC_SERVER_SUPPORT_TOKEN are the same; make two.');
  }
  return (token) => {
    const isSupport = support !== undefined && isSame(token, support);
    const isViewer = viewer !== undefined && isSame(token, viewer);
    if (isSupport) return 'support';
    return isViewer ? 'viewer' : undefined;
  };
}

/** In a time that does not tell how much of it is right. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function logIns(settings: AccessSettings): Way | undefined {
  const { CODEC_SERVER_JWKS_URL: url, CODEC_SERVER_JWT_ISSUER: issuer, CODEC_SERVER_JWT_AUDIENCE: audience } = settings;
  if (url === undefined) return undefined;
  if (issuer === undefined || audience === undefined) {
    throw new ConfigError(
      'CODEC_SERVER_JWKS_URL needs CODEC_SERVER_JWT_ISSUER and CODEC_SERVER_JWT_AUDIENCE: without them a log-in to any other application would do.',
    );
  }
  const keys: JWTVerifyGetKey = createRemoteJWKSet(new URL(url));
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
