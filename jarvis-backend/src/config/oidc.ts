import { z } from 'zod'
import { isLoopbackHost } from '../lib/loopback.ts'

/** A service that people may sign in with by OpenID Connect. `name`: what the button calls it. */
export type OidcConfig = { issuer: string; clientId: string; clientSecret?: string; name: string }

/** Schemas of the `JARVIS_OIDC_*` variables. */
export const oidcVariables = {
  JARVIS_OIDC_ISSUER: z
    .string()
    .refine((text) => URL.canParse(text) && isSafe(new URL(text)), {
      message:
        'must be the issuer’s https address without query, for example https://auth.example.org (http on this machine alone)',
    })
    .optional(),
  JARVIS_OIDC_CLIENT_ID: z.string().max(200).optional(),
  JARVIS_OIDC_CLIENT_SECRET: z.string().max(1_000).optional(),
  JARVIS_OIDC_NAME: z
    .string()
    .trim()
    .regex(
      /^[\p{L}\p{N} ._-]{1,40}$/u,
      'must have 1 to 40 letters, digits, spaces, dots or dashes, for example Authelia',
    )
    .optional(),
}

const isSafe = ({ protocol, hostname, search, hash, username }: URL) =>
  (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))) &&
  search === '' &&
  hash === '' &&
  username === ''

type Values = { [Name in keyof typeof oidcVariables]?: string | undefined }

/** Combines the variables. @returns undefined without any; a string says what is wrong, beginning with the variable */
export function oidcOf(value: Values): OidcConfig | string | undefined {
  const { JARVIS_OIDC_ISSUER: issuer, JARVIS_OIDC_CLIENT_ID: clientId, JARVIS_OIDC_CLIENT_SECRET: clientSecret } = value
  if (issuer === undefined) {
    if (clientId === undefined && clientSecret === undefined) return undefined
    return 'JARVIS_OIDC_ISSUER must be set too, for a client alone signs nobody in, for example JARVIS_OIDC_ISSUER=https://auth.example.org.'
  }
  if (clientId === undefined)
    return 'JARVIS_OIDC_CLIENT_ID must be set with JARVIS_OIDC_ISSUER, for example JARVIS_OIDC_CLIENT_ID=jarvis.'
  const name = value.JARVIS_OIDC_NAME ?? new URL(issuer).hostname
  return { issuer, clientId, clientSecret, name }
}
