import { z } from 'zod'
import { PasskeyAssertion, WebAuthnOptions } from './passkey.ts'

/** An OpenSSH key that signs decisions. `id`: its fingerprint, as `ssh-keygen -l` shows it. Times in Unix ms. */
export const SshKeyInfo = z.object({
  id: z.string(),
  name: z.string(),
  createdAt: z.int(),
  lastUsedAt: z.int().optional(),
})
export type SshKeyInfo = z.infer<typeof SshKeyInfo>
export const SshKeysReply = z.object({ items: z.array(SshKeyInfo) })
/** `key`: a line of a `.pub` file. `name`: empty: the line's comment is used. */
export const SshKeyBody = z.strictObject({
  key: z.string().max(4_000),
  name: z.string().trim().max(60).default(''),
})
/**
 * `key`: the key is enrolled. `countersign`: an older key of yours must sign `statement`: a passkey with `options`, or one of `sshKeys` with
 * `ssh-keygen -Y sign -n` and `namespace`. `options`: absent if passkeys cannot sign here.
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
export type SshKeysReply = z.infer<typeof SshKeysReply>
export const SshCountersignBody = z.union([
  z.strictObject({ response: PasskeyAssertion }),
  z.strictObject({ statement: z.string().max(4_000), signature: z.string().max(10_000) }),
])
