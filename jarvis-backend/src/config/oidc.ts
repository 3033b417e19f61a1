import { z } from 'zod'
import { isLoopbackHost } from '../lib/loopback.ts'
import { defineSettings, type ValuesOf } from './setting.ts'

/** A service with which people may sign in by OpenID Connect. `name`: its name on the sign-in button. */
export type OidcConfig = { issuer: string; clientId: string; clientSecret?: string; name: string }

const countsWith = /^JARVIS_OIDC_/

export const oidcSettings = defineSettings({
  JARVIS_OIDC_ISSUER: {
    section: 'Server',
    schema: z
      .string()
      .refine((text) => URL.canParse(text) && isSafe(new URL(text)), {
        message:
          'must be the issuer’s https address without query, for example https://auth.example.org (http on this machine alone)',
      })
      .optional(),
    countsWith,
    default: 'none',
    about:
      'a service that people [sign in with](sign-in.md#sign-in-from-elsewhere) by OpenID Connect (Authelia, Authentik, Keycloak, Pocket ID): its https address (http on this machine alone). Register `JARVIS_PUBLIC_URL` and `/api/auth/oidc/callback` there',
    example: 'https://auth.example.org',
  },
  JARVIS_OIDC_CLIENT_ID: {
    section: 'Server',
    schema: z.string().max(200).optional(),
    countsWith,
    default: 'none',
    about: 'what the service calls JARVIS',
    example: 'jarvis',
  },
  JARVIS_OIDC_CLIENT_SECRET: {
    section: 'Server',
    schema: z.string().max(1_000).optional(),
    secret: true,
    countsWith,
    default: 'none',
    about: 'its secret; without one PKCE alone proves JARVIS',
    example: '',
  },
  JARVIS_OIDC_NAME: {
    section: 'Server',
    schema: z
      .string()
      .trim()
      .regex(
        /^[\p{L}\p{N} ._-]{1,40}$/u,
        'must have 1 to 40 letters, digits, spaces, dots or dashes, for example Authelia',
      )
      .optional(),
    countsWith,
    default: 'the issuer’s host',
    about: 'what the button calls the service',
    example: 'Authelia',
  },
})

const isSafe = ({ protocol, hostname, search, hash, username }: URL) =>
  (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))) &&
  search === '' &&
  hash === '' &&
  username === ''

/** Combines the variables. @returns undefined if none is set; a string if there is a mistake; it begins with the variable */
export function oidcOf(value: ValuesOf<typeof oidcSettings>): OidcConfig | string | undefined {
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
