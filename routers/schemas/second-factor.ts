/** Second factors as the account page sees them, and the passkey responses of browsers. */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { z } from 'zod';
import { nameLengthMax } from '../../models/bounds.ts';
import { maskSecrets } from '../support/mask-secrets.ts';
import { dateTime } from './common.ts';
import { createPick } from './pick.ts';
import { exactText, filledExactText, filledLine } from './text.ts';

export const FactorKind = z.enum(['app', 'passkey']);

export const OwnFactor = z.object({
  id: z.string(),
  kind: FactorKind,
  name: z.string(),
  created_at: dateTime,
  last_used_at: dateTime.nullable(),
});

export const FactorName = filledLine(nameLengthMax);
/** A passkey's id is its credential id, which has at most 1023 bytes. */
export const FactorId = filledExactText(1400);
export const Code = filledExactText(100);

const base64url = filledExactText(20_000);

/** The response of a browser. The WebAuthn library checks the fields that are not listed here, and has their types. */
const credentialWith = <Credential>(response: z.ZodRawShape) =>
  z.looseObject({
    id: FactorId,
    rawId: FactorId,
    type: z.literal('public-key'),
    clientExtensionResults: z.looseObject({}).default({}),
    response: z.looseObject({ clientDataJSON: base64url, ...response }),
  }) as unknown as z.ZodType<Credential, Credential>;

export const PasskeyAnswer = credentialWith<AuthenticationResponseJSON>({
  authenticatorData: base64url,
  signature: base64url,
  userHandle: exactText(100).nullish(),
});

export const NewPasskey = credentialWith<RegistrationResponseJSON>({
  attestationObject: base64url,
  transports: z.array(z.string().max(20)).max(10).optional(),
});

/** We set no extensions, and JSON cannot represent all their types. */
export const PasskeyQuestion = z.custom<Omit<PublicKeyCredentialRequestOptionsJSON, 'extensions'>>();
export const NewPasskeyQuestion = z.custom<Omit<PublicKeyCredentialCreationOptionsJSON, 'extensions'>>();

/** Shown once; empty when the user adds a further factor. */
export const RecoveryCodes = z.object({ recovery_codes: z.array(z.string()) });

export const describeFactor = ({ kind, name }: Pick<z.infer<typeof OwnFactor>, 'kind' | 'name'>): string =>
  `The ${kind === 'app' ? 'authenticator app' : 'passkey'} "${maskSecrets(name)}"`;

export const presentFactor = createPick(OwnFactor);
