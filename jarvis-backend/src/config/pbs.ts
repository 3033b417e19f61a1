import { z } from 'zod'
import { fingerprintOf } from '../lib/fingerprint.ts'
import { originWith, tokenIdShape } from './proxmox.ts'
import { itemsOf } from './schemas.ts'
import { defineSettings, type ValuesOf } from './setting.ts'

/** The address of a backup server, and the certificates to trust. */
export type PbsConfig = {
  /** The server's origin: scheme, host and port. */
  url: string
  tokenId: string
  tokenSecret: string
  /** SHA-256 fingerprints, `AA:BB:…`. If empty, the certificate must be signed by a public authority. */
  fingerprints: readonly string[]
}

const usualPort = 8007

export const pbsSettings = defineSettings({
  PBS_URL: {
    section: 'Cluster',
    schema: z
      .string()
      .transform((text, context) => {
        const origin = originWith(text.trim(), usualPort)
        if (origin !== undefined) return origin
        context.addIssue('must be one https address without a path, for example https://pbs.lan:8007')
        return z.NEVER
      })
      .optional(),
    default: 'none',
    about:
      'address of a Proxmox Backup Server, asked for its datastores, snapshots and jobs; the port is 8007 where none is given',
    example: 'https://pbs.lan:8007',
  },
  PBS_TOKEN_ID: {
    section: 'Cluster',
    schema: z.string().regex(tokenIdShape, 'must be user@realm!name, for example jarvis@pbs!jarvis').optional(),
    default: 'none',
    about: '`USER@REALM!NAME` on that server, in single quotes; it needs DatastoreAudit on `/datastore`',
    example: "'jarvis@pbs!jarvis'",
  },
  PBS_TOKEN_SECRET: {
    section: 'Cluster',
    schema: z
      .string()
      .regex(/^[\x21-\x7e]{8,}$/, 'must be what the server showed once when the token was made, for example 1b2f…-…')
      .refine((text) => !/[=:]/.test(text), 'must be the secret alone, without user@realm!name: before it')
      .optional(),
    secret: true,
    default: 'none',
    about: 'the secret of that token',
    example: '',
  },
  PBS_FINGERPRINT: {
    section: 'Cluster',
    schema: z
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
    default: 'none',
    about:
      'SHA-256 fingerprint of its certificate, as `proxmox-backup-manager cert info` shows it; without, a public authority must have signed',
    example: '',
  },
})

/** Combines the variables. @returns undefined without `PBS_URL`; a string if there is a mistake; it begins with the variable */
export function pbsOf({ PBS_URL, PBS_TOKEN_ID, PBS_TOKEN_SECRET, PBS_FINGERPRINT }: ValuesOf<typeof pbsSettings>) {
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
