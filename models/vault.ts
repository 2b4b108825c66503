/**
 * Encrypts data that must be read again: webhook addresses, responses and second factors. Derives signing secrets when they are
 * needed. All keys come from one random master key, which is stored encrypted with SECRETS_KEY. When that setting changes, only
 * the master key is encrypted again.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { SharedState } from './shared-state.ts';

/** SECRETS_KEY does not decrypt the stored master key, or is not set. */
export class SecretsKeyError extends Error {}

export class Vault {
  readonly #sharedState: SharedState;
  #opened: ReturnType<typeof openWith> | null = null;

  constructor(sharedState: SharedState) {
    this.#sharedState = sharedState;
  }

  /**
   * Decrypts the stored master key, or creates one. From then on, the first of the keys encrypts it.
   * @throws {SecretsKeyError} when none of the keys fits
   */
  async unlock(keys: readonly [Buffer, ...Buffer[]]): Promise<void> {
    const [current] = keys;
    const made = wrapMaster(randomBytes(keyBytes), current);
    const { sealed = made } = await this.#sharedState.ensure({ _id: masterId, sealed: made });
    const isCurrent = unwrapMaster(sealed, current) !== null;
    const master = keys.map((key) => unwrapMaster(sealed, key)).find((opened) => opened !== null);
    if (!master) throw new SecretsKeyError('no key decrypts the stored master key');
    if (!isCurrent) await this.#sharedState.set(masterId, { sealed: wrapMaster(master, current) });
    this.#opened = openWith(master);
  }

  get isUnlocked(): boolean {
    return this.#opened !== null;
  }

  /** @throws {SecretsKeyError} before `unlock` */
  get opened() {
    if (!this.#opened) throw new SecretsKeyError('the vault is locked');
    return this.#opened;
  }
}

const masterId = 'master';
const keyBytes = 32;
/** The maximum that authenticators accept. */
const handleBytes = 64;
const nonceBytes = 12;
const tagBytes = 16;

function openWith(master: Buffer) {
  const addressKey = derive(master, 'addresses of endpoints');
  const responseKey = derive(master, 'stored responses');
  const factorKey = derive(master, 'second factors');
  return {
    /** A webhook's address is bound to the webhook's id: with another id, it does not decrypt. */
    encryptUrl: (id: string, url: string) => seal(addressKey, { text: url, context: id }),
    decryptUrl: (id: string, sealed: string) => open(addressKey, { sealed, context: id }),
    /** An idempotency key's response is bound to that key. */
    encryptResponse: (id: string, text: string) => seal(responseKey, { text, context: id }),
    decryptResponse: (id: string, sealed: string) => open(responseKey, { sealed, context: id }),
    /** Secrets and challenges of second factors, each bound to its purpose. */
    encryptFactor: (context: string, text: string) => seal(factorKey, { text, context }),
    decryptFactor: (context: string, sealed: string) => open(factorKey, { sealed, context }),
    /** The user handle that authenticators store, in base64url: as random as the master key, and shared by a user's passkeys. */
    passkeyHandle: (userId: number) =>
      derive(master, `passkeys of ${userId}`, handleBytes).toString('base64url'),
    /** Each rotation of a webhook's secret increments the version. */
    signingSecret: (id: string, version: number) =>
      `whsec_${derive(master, `signing ${id} ${version}`).toString('base64')}`,
  };
}

const masterContext = 'master key of webhooks';

/** @param settingsKey the bytes of SECRETS_KEY */
const wrapMaster = (master: Buffer, settingsKey: Buffer): string =>
  seal(derive(settingsKey, masterContext), { text: master.toString('base64'), context: masterContext });

function unwrapMaster(sealed: string, settingsKey: Buffer): Buffer | null {
  try {
    return Buffer.from(
      open(derive(settingsKey, masterContext), { sealed, context: masterContext }),
      'base64',
    );
  } catch {
    return null;
  }
}

const derive = (key: Buffer, purpose: string, bytes = keyBytes) =>
  Buffer.from(hkdfSync('sha256', key, '', `gamehost ${purpose}`, bytes));

/** AES-256-GCM with a random nonce, as base64 of nonce, tag and ciphertext. */
function seal(key: Buffer, { text, context }: { text: string; context: string }): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64');
}

/** @throws unless the key and the context are those used for `seal` */
function open(key: Buffer, { sealed, context }: { sealed: string; context: string }): string {
  const bytes = Buffer.from(sealed, 'base64');
  const nonce = bytes.subarray(0, nonceBytes);
  const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
  return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
}
