import { z } from 'zod'
import { proxmoxVariables } from './proxmox.ts'

/**
 * Schemas of the restore drill's variables. They are no `PVE_*`, which count together: a token here must not take a cluster's
 * saved settings out of use.
 */
export const drillVariables = {
  PROXMOX_DRILL_TOKEN_ID: proxmoxVariables.PVE_TOKEN_ID,
  PROXMOX_DRILL_TOKEN_SECRET: proxmoxVariables.PVE_TOKEN_SECRET,
  JARVIS_DRILL_IDS: z
    .string()
    .default('990000-990099')
    .transform((text, context) => {
      const [, first, last] = /^(\d{3,9})-(\d{3,9})$/.exec(text.trim()) ?? []
      const range = { first: Number(first), last: Number(last) }
      if (range.first >= 100 && range.last >= range.first && range.last - range.first < 1_000) return range
      context.addIssue('must be two ids of guests with at most 1,000 between them, for example 990000-990099')
      return z.NEVER
    }),
}

/** @returns a string says what is wrong, beginning with the variable */
export function drillOf(values: {
  PROXMOX_DRILL_TOKEN_ID?: string | undefined
  PROXMOX_DRILL_TOKEN_SECRET?: string | undefined
  JARVIS_DRILL_IDS: { first: number; last: number }
}) {
  const { PROXMOX_DRILL_TOKEN_ID: tokenId, PROXMOX_DRILL_TOKEN_SECRET: tokenSecret, JARVIS_DRILL_IDS: ids } = values
  if (tokenId === undefined && tokenSecret === undefined) return { token: undefined, ids }
  if (tokenId === undefined)
    return "PROXMOX_DRILL_TOKEN_ID must be set with its secret, for example PROXMOX_DRILL_TOKEN_ID='jarvis@pve!drill'."
  if (tokenSecret === undefined)
    return 'PROXMOX_DRILL_TOKEN_SECRET must be set with its id: Proxmox shows it once, when the token is made.'
  return { token: { tokenId, tokenSecret }, ids }
}
