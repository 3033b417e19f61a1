import { z } from 'zod'
import { GrantRequest } from './grant.ts'
import { GoesBackAfterMin } from './undo.ts'

/** Bytes in base64url. */
export const Base64Url = z
  .string()
  .regex(/^[\w-]*$/, 'must be base64url')
  .max(20_000)

export const PasskeyName = z.string().trim().min(1).max(60)

/** A person's passkey. Times in Unix ms. `isSynced`: its provider copies it to other devices of the person; otherwise it stays on one device. */
export const Passkey = z.object({
  id: z.string(),
  name: z.string(),
  isSynced: z.boolean(),
  createdAt: z.int(),
  lastUsedAt: z.int().optional(),
})
export type Passkey = z.infer<typeof Passkey>

/** `problem`: why passkeys do not work at this address, and what to do. */
export const PasskeysReply = z.object({ items: z.array(Passkey), problem: z.string().optional() })
export type PasskeysReply = z.infer<typeof PasskeysReply>

/** The result of a browser's `navigator.credentials.get`, as JSON. Byte strings are in base64url. */
export const PasskeyAssertion = z.object({
  id: Base64Url,
  rawId: Base64Url,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: Base64Url,
    authenticatorData: Base64Url,
    signature: Base64Url,
    userHandle: Base64Url.optional(),
  }),
})
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>

/** The result of a browser's `navigator.credentials.create`, as JSON. */
export const PasskeyRegistration = z.object({
  id: Base64Url,
  rawId: Base64Url,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: Base64Url,
    attestationObject: Base64Url,
    transports: z.array(z.string().max(30)).max(10).optional(),
  }),
})
export type PasskeyRegistration = z.infer<typeof PasskeyRegistration>

/** Options for `navigator.credentials`, as JSON of WebAuthn level 3. */
export const WebAuthnOptions = z.looseObject({ challenge: z.string() })
export type WebAuthnOptions = z.infer<typeof WebAuthnOptions>

export const PasskeyBody = z.strictObject({ name: PasskeyName, response: PasskeyRegistration })
export const PasskeyPatchBody = z.strictObject({ name: PasskeyName })
export const PasskeyCountersignBody = z.strictObject({ response: PasskeyAssertion })
/**
 * `passkey`: the passkey is enrolled. `countersign`: an older passkey of the person must sign the new one. Send the older passkey's answer to these
 * options to `POST /api/passkeys/countersign`.
 */
export const PasskeyReply = z.object({
  passkey: Passkey.optional(),
  countersign: WebAuthnOptions.optional(),
})
export type PasskeyReply = z.infer<typeof PasskeyReply>
export const PasskeySignInBody = z.strictObject({ response: PasskeyAssertion })

/** Terms that an approval adds to its call. They are signed too. */
export const DecisionTerms = z.strictObject({
  grant: GrantRequest.optional(),
  goesBackAfterMin: GoesBackAfterMin.optional(),
  /** True: an owner [breaks the glass](roles.md#breaking-the-glass) and decides alone. */
  alone: z.literal(true).optional(),
})
/** Requests the statement that a person signs for an approval. */
export const ChallengeBody = DecisionTerms.extend({ decision: z.literal('approved').default('approved') })
export type DecisionTerms = z.infer<typeof DecisionTerms>

/** `statement`: the exact text that is signed. `lines`: the same for a person. `problem`: why a passkey cannot sign here. Times in Unix ms. */
export const DecisionChallenge = z.object({
  challenge: z.string(),
  statement: z.string(),
  lines: z.array(z.string()),
  expiresAt: z.int(),
  options: WebAuthnOptions.optional(),
  problem: z.string().optional(),
  /** Fingerprints of your SSH keys; absent: you have none. */
  sshKeys: z.array(z.string()).optional(),
})
export type DecisionChallenge = z.infer<typeof DecisionChallenge>

/**
 * A signed approval. `challenge`: the challenge of the statement. `signature`: the output of `ssh-keygen -Y sign -n decision@jarvis` for the
 * statement.
 */
export const DecisionProof = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('passkey'), response: PasskeyAssertion }),
  z.strictObject({ type: z.literal('ssh'), challenge: Base64Url, signature: z.string().max(10_000) }),
])
export type DecisionProof = z.infer<typeof DecisionProof>
/** The key that signed a decision. `device`: the key of a device whose notification has buttons. */
export const SignedBy = z.enum(['passkey', 'ssh', 'device'])
export type SignedBy = z.infer<typeof SignedBy>
