import { z } from 'zod'
import { proxmoxSettings } from './proxmox.ts'
import { defineSettings, type ValuesOf } from './setting.ts'

/**
 * Settings of the restore drill. Their names do not begin with `PVE_`, because all `PVE_` variables count together: a drill token in the environment
 * would disable the saved settings of the cluster.
 */
export const drillSettings = defineSettings({
  PROXMOX_DRILL_TOKEN_ID: {
    section: 'Cluster',
    schema: proxmoxSettings.PVE_TOKEN_ID.schema,
    stopsStart: true,
    default: 'the main token',
    about:
      'a token of its own for [the restore drill](restore-drill.md), so that Proxmox itself limits what the drill can destroy',
    example: "'jarvis@pve!drill'",
  },
  PROXMOX_DRILL_TOKEN_SECRET: {
    section: 'Cluster',
    schema: proxmoxSettings.PVE_TOKEN_SECRET.schema,
    secret: true,
    stopsStart: true,
    default: 'none',
    about: 'the secret of that token',
    example: '',
  },
  JARVIS_DRILL_IDS: {
    section: 'Cluster',
    schema: z
      .string()
      .default('990000-990099')
      .transform((text, context) => {
        const [, first, last] = /^(\d{3,9})-(\d{3,9})$/.exec(text.trim()) ?? []
        const range = { first: Number(first), last: Number(last) }
        if (range.first >= 100 && range.last >= range.first && range.last - range.first < 1_000) return range
        context.addIssue('must be two ids of guests with at most 1,000 between them, for example 990000-990099')
        return z.NEVER
      }),
    default: '`990000-990099`',
    about: 'the ids that copies of the drill may have',
    example: '990000-990099',
  },
})

/** Combines the settings. @returns a string if they contain a mistake; it begins with the variable */
export function drillOf(values: ValuesOf<typeof drillSettings>) {
  const { PROXMOX_DRILL_TOKEN_ID: tokenId, PROXMOX_DRILL_TOKEN_SECRET: tokenSecret, JARVIS_DRILL_IDS: ids } = values
  if (tokenId === undefined && tokenSecret === undefined) return { token: undefined, ids }
  if (tokenId === undefined)
    return "PROXMOX_DRILL_TOKEN_ID must be set with its secret, for example PROXMOX_DRILL_TOKEN_ID='jarvis@pve!drill'."
  if (tokenSecret === undefined)
    return 'PROXMOX_DRILL_TOKEN_SECRET must be set with its id: Proxmox shows it once, when the token is made.'
  return { token: { tokenId, tokenSecret }, ids }
}
