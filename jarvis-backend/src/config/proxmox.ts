import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { JarvisError } from 'protocol'
import { z } from 'zod'
import { fingerprintOf } from '../lib/fingerprint.ts'
import { pathOf } from './path-of.ts'
import { itemsOf } from './schemas.ts'
import { defineSettings, type SettingGroup, schemaOf, type ValuesOf } from './setting.ts'

/** The addresses of the cluster, and the certificates to trust. */
export type ProxmoxConfig = {
  /** Origins, tried in this order. */
  urls: readonly string[]
  tokenId: string
  tokenSecret: string
  /** SHA-256 fingerprints of trusted certificates, `AA:BB:…`. */
  fingerprints: readonly string[]
  /** The certificate authority to trust, PEM; undefined: none. */
  ca: string | undefined
}

const usualPort = 8006

/** `user@realm!name`. The user part may itself contain an `@` with OpenID Connect or LDAP: `mira@example.org@authentik!jarvis`. */
export const tokenIdShape = /^[^\s:/=]+@[A-Za-z][\w.-]*![A-Za-z][\w.-]*$/

/** The user with its realm, and the token's own name. */
export function tokenParts(tokenId: string): { user: string; name: string } {
  const at = tokenId.lastIndexOf('!')
  return { user: tokenId.slice(0, at), name: tokenId.slice(at + 1) }
}

const countsWith = /^PVE_/

export const proxmoxSettings = defineSettings({
  PVE_URL: {
    section: 'Cluster',
    schema: z
      .string()
      .transform((list, context) => {
        const origins = itemsOf(list).map(originOf)
        if (origins.length > 0 && !origins.includes(undefined)) return origins.filter((origin) => origin !== undefined)
        context.addIssue(
          'must be one https address or a comma list of them, without a path, for example https://pve1.lan:8006,https://pve2.lan:8006',
        )
        return z.NEVER
      })
      .optional(),
    countsWith,
    stopsStart: true,
    label: 'The address',
    default: 'none',
    about: 'addresses of the nodes, with commas between, tried in this order; the port is 8006 where none is given',
    example: 'https://pve1.lan:8006,https://pve2.lan:8006',
  },
  PVE_TOKEN_ID: {
    section: 'Cluster',
    schema: z.string().regex(tokenIdShape, 'must be user@realm!name, for example jarvis@pve!jarvis').optional(),
    countsWith,
    stopsStart: true,
    label: 'The token id',
    default: 'none',
    about:
      '`USER@REALM!NAME`, also of a user with an `@` in the name (`mira@example.org@authentik!jarvis`); put it in single quotes, because shells read `!`',
    example: "'jarvis@pve!jarvis'",
  },
  PVE_TOKEN_SECRET: {
    section: 'Cluster',
    schema: z
      .string()
      .regex(/^[\x21-\x7e]{8,}$/, 'must be what Proxmox showed once when the token was made, for example 1b2f…-…')
      .refine((text) => !text.includes('='), 'must be the secret alone, without user@realm!name= before it')
      .optional(),
    secret: true,
    countsWith,
    stopsStart: true,
    label: 'The token secret',
    default: 'none',
    about: 'the secret of that token',
    example: '',
  },
  PVE_FINGERPRINT: {
    section: 'Cluster',
    schema: z
      .string()
      .transform((list, context) => {
        const fingerprints = itemsOf(list).map(fingerprintOf)
        if (!fingerprints.includes(undefined)) return fingerprints.filter((one) => one !== undefined)
        context.addIssue(
          'must be SHA-256 fingerprints of 32 bytes in hexadecimal, in a comma list, as "pvenode cert info" shows them, for example 8F:51:…:0A',
        )
        return z.NEVER
      })
      .optional(),
    countsWith,
    stopsStart: true,
    label: 'The fingerprint',
    default: 'none',
    about: 'SHA-256 fingerprints of the nodes’ certificates, as `pvenode cert info` shows them',
    example: '',
  },
  PVE_CA_FILE: {
    section: 'Cluster',
    schema: z
      .string()
      .transform((path, context) => {
        try {
          const pem = readFileSync(pathOf(path), 'utf8')
          // The certificate is parsed here, because a bad one would otherwise fail only at the first connection.
          new X509Certificate(pem)
          return pem
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error)
          context.addIssue(
            `cannot be read as a certificate (${why}), for example a copy of a node's /etc/pve/pve-root-ca.pem`,
          )
          return z.NEVER
        }
      })
      .optional(),
    countsWith,
    stopsStart: true,
    default: 'none',
    about:
      'the authority’s certificate, a copy of `/etc/pve/pve-root-ca.pem`; with neither, a public authority must have signed',
    example: '',
  },
})

/** Combines the variables. @returns undefined without `PVE_URL`; a string if there is a mistake; it begins with the variable */
export function proxmoxOf(values: ValuesOf<typeof proxmoxSettings>): ProxmoxConfig | string | undefined {
  const { PVE_URL: urls, PVE_TOKEN_ID: tokenId, PVE_TOKEN_SECRET: tokenSecret, PVE_CA_FILE: ca } = values
  if (urls === undefined) {
    if (tokenId === undefined && tokenSecret === undefined) return undefined
    return 'PVE_URL must be set too, for a token alone reaches no cluster, for example PVE_URL=https://pve1.lan:8006.'
  }
  if (tokenId === undefined)
    return "PVE_TOKEN_ID must be set with PVE_URL, for example PVE_TOKEN_ID='jarvis@pve!jarvis'."
  if (tokenSecret === undefined)
    return 'PVE_TOKEN_SECRET must be set with PVE_URL: Proxmox shows it once, when the token is made.'
  const fingerprints = values.PVE_FINGERPRINT ?? []
  if (fingerprints.length > 0 && ca !== undefined) {
    return 'PVE_CA_FILE and PVE_FINGERPRINT are two ways to trust the cluster: set one, for example PVE_FINGERPRINT alone.'
  }
  return { urls, tokenId, tokenSecret, fingerprints, ca }
}

/** Identifies a cluster: `demo`, or its sorted addresses. */
export const placeOf = ({ proxmox }: { proxmox: ProxmoxConfig | undefined }): string =>
  proxmox === undefined ? 'demo' : [...proxmox.urls].sort().join(',')

const schema = schemaOf(proxmoxSettings)

/** Checks the settings of a cluster that a person entered in a form. @throws JarvisError `invalid_request` that names the first invalid one */
export function readCluster(given: { [Name in keyof typeof proxmoxSettings]?: string }) {
  const parsed = schema.safeParse(given)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const rows: SettingGroup = proxmoxSettings
    throw new JarvisError('invalid_request', `${rows[String(issue?.path[0])]?.label} ${issue?.message}.`)
  }
  const { PVE_URL: urls, PVE_FINGERPRINT: fingerprints, PVE_CA_FILE: ca } = parsed.data
  return { urls, fingerprints, ca }
}

const originOf = (text: string) => originWith(text, usualPort)

/** Normalises an address: adds the usual port if none is given and drops Proxmox's API path. */
export function originWith(text: string, port: number): string | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined
  if (!/^\/(api2(\/json)?\/?)?$/.test(url.pathname) || url.search !== '') return undefined
  const isGiven = /^https:\/\/[^/]*:\d+(\/|$)/i.test(text)
  return isGiven ? `https://${url.hostname}:${url.port || 443}` : `https://${url.hostname}:${port}`
}
