/** Second factors as the account page sees them, and what browsers answer of passkeys. */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { z } from 'zod';
import { nameLengthMax } from '../../models/bounds.ts';
import type { Factor } from '../../models/second-factor.ts';
import { dateTime } from './common.ts';
import { filledExactText, filledLine } from './text.ts';

export const FactorKind = z.enum(['app', 'passkey']);

export const OwnFactor = z.object({
  id: z.string(),
  kind: FactorKind,
  name: z.string(),
  created_at: dateTime,
  last_used_at: dateTime.nullable(),
});

export const FactorName = filledLine(nameLengthMax);
/** Of a passkey, its credential id: at most 1023 bytes. */
export const FactorId = filledExactText(1400);
export const Code = filledExactText(100);

/** As browsers write them; the library reads the rest, and has their types. */
const base64url = filledExactText(20_000);
const credential = { id: FactorId, rawId: FactorId, type: z.literal('public-key') };
const extensions = { clientExtensionResults: z.looseObject({}).default({}) };

export const PasskeyAnswer = z.looseObject({
  ...credential,
  ...extensions,
  response: z.looseObject({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: filledExactText(100).optional(),
  }),
}) as unknown as z.ZodType<AuthenticationResponseJSON, AuthenticationResponseJSON>;

export const NewPasskey = z.looseObject({
  ...credential,
  ...extensions,
  response: z.looseObject({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(z.string().max(20)).max(10).optional(),
  }),
}) as unknown as z.ZodType<RegistrationResponseJSON, RegistrationResponseJSON>;

/** None of ours has extensions, whose types JSON cannot keep. */
export const PasskeyQuestion = z.custom<Omit<PublicKeyCredentialRequestOptionsJSON, 'extensions'>>();
export const NewPasskeyQuestion = z.custom<Omit<PublicKeyCredentialCreationOptionsJSON, 'extensions'>>();

/** Shown once; empty with a further factor. */
export const RecoveryCodes = z.object({ recovery_codes: z.array(z.string()) });

export const presentFactor = ({
  id,
  kind,
  name,
  createdAt,
  lastUsedAt,
}: Factor): z.infer<typeof OwnFactor> => ({
  id,
  kind,
  name,
  created_at: createdAt.toISOString(),
  last_used_at: lastUsedAt?.toISOString() ?? null,
});
