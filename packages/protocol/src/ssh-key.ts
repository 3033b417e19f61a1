import { z } from 'zod'
import { PasskeyAssertion, WebAuthnOptions } from './passkey.ts'

/** A key of OpenSSH that signs decisions. `id`: its fingerprint, as `ssh-keygen -l` shows it. Unix ms. */
export const SshKeyInfo = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.int(),
  lastUsedAt: z.int().optional(),
})
export type SshKeyInfo = z.infer<typeof SshKeyInfo>
export const SshKeysReply = z.object({ items: z.array(SshKeyInfo) })
/** `key`: a line of a `.pub` file. `name`: absent: the line's comment. */
export const SshKeyBody = z.strictObject({
  key: z.string().max(4_000),
  name: z.string().trim().max(60).default(''),
})
/**
 * `key`: it is enrolled. `countersign`: an older key of yours must sign the new one, a passkey by `options` or one of `sshKeys` by
 * `ssh-keygen -Y sign -n` and `namespace`, over `statement`. `options` is absent where passkeys cannot sign here.
 */
export const SshKeyReply = z.object({
  key: SshKeyInfo.optional(),
  countersign: z
    .object({
      statement: z.string(),
      namespace: z.string(),
      sshKeys: z.array(z.string()),
      options: WebAuthnOptions.optional(),
    })
    .optional(),
})
export type SshKeyReply = z.infer<typeof SshKeyReply>
export const SshCountersignBody = z.union([
  z.strictObject({ response: PasskeyAssertion }),
  z.strictObject({ statement: z.string().max(4_000), signature: z.string().max(10_000) }),
])
