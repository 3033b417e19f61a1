import { z } from 'zod'
import { fingerprintOf } from '../lib/fingerprint.ts'
import { itemsOf, originWith, tokenIdShape } from './proxmox.ts'

/** How a backup server is reached and trusted. */
export type PbsConfig = {
  /** An origin. */
  url: string
  tokenId: string
  tokenSecret: string
  /** SHA-256, `AA:BB:…`; none: a public authority must have signed. */
  fingerprints: readonly string[]
}

const usualPort = 8007

/** Schemas of the `PBS_*` variables. */
export const pbsVariables = {
  PBS_URL: z
    .string()
    .transform((text, context) => {
      const origin = originWith(text.trim(), usualPort)
      if (origin !== undefined) return origin
      context.addIssue('must be one https address without a path, for example https://pbs.lan:8007')
      return z.NEVER
    })
    .optional(),
  PBS_TOKEN_ID: z.string().regex(tokenIdShape, 'must be user@realm!name, for example jarvis@pbs!jarvis').optional(),
  PBS_TOKEN_SECRET: z
    .string()
    .regex(/^[\x21-\x7e]{8,}$/, 'must be what the server showed once when the token was made, for example 1b2f…-…')
    .refine((text) => !/[=:]/.test(text), 'must be the secret alone, without user@realm!name: before it')
    .optional(),
  PBS_FINGERPRINT: z
    .string()
    .transform((list, context) => {
      const fingerprints = itemsOf(list).map(fingerprintOf)
      if (!fingerprints.includes(undefined)) return fingerprints.filter((one) => one !== undefined)
      context.addIssue(
        'must be a SHA-256 fingerprint of 32 bytes in hexadecimal, as "proxmox-backup-manager cert info" shows it, for example 8F:51:…:0A',
      )
      return z.NEVER
    })
    .optional(),
}

type Values = {
  PBS_URL?: string | undefined
  PBS_TOKEN_ID?: string | undefined
  PBS_TOKEN_SECRET?: string | undefined
  PBS_FINGERPRINT?: string[] | undefined
}

/** Combines the variables. @returns undefined without `PBS_URL`; a string says what is wrong, beginning with the variable */
export function pbsOf({ PBS_URL, PBS_TOKEN_ID, PBS_TOKEN_SECRET, PBS_FINGERPRINT }: Values) {
  if (PBS_URL === undefined) {
    if (PBS_TOKEN_ID === undefined && PBS_TOKEN_SECRET === undefined) return undefined
    return 'PBS_URL must be set too, for a token alone reaches no server, for example PBS_URL=https://pbs.lan:8007.'
  }
  if (PBS_TOKEN_ID === undefined)
    return "PBS_TOKEN_ID must be set with PBS_URL, for example PBS_TOKEN_ID='jarvis@pbs!jarvis'."
  if (PBS_TOKEN_SECRET === undefined)
    return 'PBS_TOKEN_SECRET must be set with PBS_URL: the server shows it once, when the token is made.'
  const config: PbsConfig = {
    url: PBS_URL,
    tokenId: PBS_TOKEN_ID,
    tokenSecret: PBS_TOKEN_SECRET,
    fingerprints: PBS_FINGERPRINT ?? [],
  }
  return config
}
