/** An authenticator in software: it makes passkeys and signs with them, in the form that a browser sends. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { isoCBOR } from '@simplewebauthn/server/helpers';

export interface Passkey {
  id: string;
  privateKey: KeyObject;
  userHandle: string;
  counter: number;
}

interface Deviations {
  origin?: string;
  rpId?: string;
  /** Whether it has verified the user by a finger, a face or a PIN. */
  isUserVerified?: boolean;
  /** The format of its attestation. */
  format?: string;
  id?: Buffer;
  userHandle?: string;
  counter?: number;
}

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest();
const base64url = (bytes: string | Uint8Array) => Buffer.from(bytes).toString('base64url');

/** @param origin of the page that uses it */
export function createAuthenticator(origin: string) {
  const passkeys: Passkey[] = [];
  const rpIdOf = (id: string | undefined) => id ?? new URL(origin).hostname;
  const clientData = (type: string, challenge: string, from: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }));
  return {
    passkeys,
    create(
      { challenge, rp, user }: PublicKeyCredentialCreationOptionsJSON,
      {
        origin: from = origin,
        rpId = rpIdOf(rp.id),
        isUserVerified = true,
        format = 'none',
        id = randomBytes(16),
      }: Deviations = {},
    ): RegistrationResponseJSON {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      passkeys.push({ id: base64url(id), privateKey, userHandle: user.id, counter: 0 });
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const key = new Map<number, number | Uint8Array>([
        ...([
          [1, 2],
          [3, -7],
          [-1, 1],
        ] as const),
        [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
        [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
      ]);
      const flags = 0x41 + (isUserVerified ? 4 : 0);
      const head = [sha256(rpId), Buffer.from([flags]), Buffer.alloc(4)];
      const credential = [Buffer.alloc(16), Buffer.from([0, id.length]), id, isoCBOR.encode(key)];
      const attestation = new Map<string, unknown>([
        ['fmt', format],
        ['attStmt', new Map()],
        ['authData', new Uint8Array(Buffer.concat([...head, ...credential]))],
      ]);
      return {
        ...{ id: base64url(id), rawId: base64url(id), type: 'public-key', clientExtensionResults: {} },
        response: {
          clientDataJSON: base64url(clientData('webauthn.create', challenge, from)),
          attestationObject: base64url(isoCBOR.encode(attestation as Parameters<typeof isoCBOR.encode>[0])),
          transports: ['internal'],
        },
      };
    },
    /** Answers with its newest passkey. */
    get(
      { challenge, rpId: asked }: PublicKeyCredentialRequestOptionsJSON,
      { origin: from = origin, rpId = rpIdOf(asked), isUserVerified = true, ...other }: Deviations = {},
    ): AuthenticationResponseJSON {
      const passkey = passkeys.at(-1);
      if (!passkey) throw new Error('the authenticator has no passkey');
      passkey.counter = other.counter ?? passkey.counter;
      const counter = Buffer.alloc(4);
      counter.writeUInt32BE(passkey.counter);
      const flags = Buffer.from([0x01 + (isUserVerified ? 4 : 0)]);
      const authenticatorData = Buffer.concat([sha256(rpId), flags, counter]);
      const clientDataJSON = clientData('webauthn.get', challenge, from);
      const signed = Buffer.concat([authenticatorData, sha256(clientDataJSON)]);
      return {
        ...{ id: passkey.id, rawId: passkey.id, type: 'public-key', clientExtensionResults: {} },
        response: {
          clientDataJSON: base64url(clientDataJSON),
          authenticatorData: base64url(authenticatorData),
          signature: base64url(sign('sha256', signed, passkey.privateKey)),
          userHandle: other.userHandle ?? passkey.userHandle,
        },
      };
    },
  };
}
