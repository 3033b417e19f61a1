import type { Change, GuestIdentity, GuestReply, RestoreProof } from 'protocol'
import { span, withUnit } from '../../lib/format.ts'
import type { MarkKind } from '../../ui/mark.tsx'

export const rungs = ['fresh', 'verified', 'readable', 'restored', 'booted', 'answers'] as const
const oldProofMs = 90 * 86_400_000

export type ProofWords = { mark: MarkKind; head: string; detail: string }

/** The restore proof of a guest's backups. Null: no restore was tried; undefined: not known. */
export function proofWords(proof: RestoreProof | null | undefined, now: number): ProofWords {
  if (proof === undefined)
    return { mark: 'unknown', head: 'Not known yet', detail: 'No restore of its backups is on record here.' }
  if (proof === null) return { mark: 'none', head: 'Never', detail: 'None of its backups was ever tried.' }
  const age = `${span(now - proof.at)} ago`
  if (proof.verdict === 'failed')
    return { mark: 'bad', head: `Failed ${age}`, detail: proof.problem ?? 'The backup did not come to life.' }
  const took = [
    proof.restoreMs === undefined ? '' : `Restored to a copy without network in ${secondsOf(proof.restoreMs)}`,
    proof.bootMs === undefined ? '' : `booted in ${secondsOf(proof.bootMs)}`,
    proof.system === undefined ? '' : `${proof.system} answered`,
  ].filter((part) => part !== '')
  const not = proof.notProven.length === 0 ? '' : ` Not proven: ${proof.notProven.join('; ')}.`
  return {
    mark: proof.doubt !== undefined ? 'unknown' : now - proof.at > oldProofMs ? 'warn' : 'ok',
    head: `Proven ${age}`,
    detail: `${proof.doubt === undefined ? '' : `${proof.doubt} `}${took.length === 0 ? '' : `${took.join(', ')}.`}${not}`,
  }
}

const secondsOf = (ms: number) =>
  ms < 120_000 ? withUnit(Math.round(ms / 1_000), 's') : withUnit(Math.round(ms / 60_000), 'min')

/** The storages of a guest's disks, from its configuration, without duplicates. */
export function storagesIn(config: GuestReply['config']): string[] {
  const disks = Object.entries(config?.values ?? {}).filter(
    ([key, value]) =>
      /^(?:(?:scsi|virtio|sata|ide|mp)\d+|rootfs|efidisk0|tpmstate0)$/.test(key) && !/media=cdrom/.test(value),
  )
  return [...new Set(disks.flatMap(([, value]) => /^([\w.-]+):/.exec(value)?.[1] ?? []))]
}

/** True if a change was made to another guest that had this vmid earlier, as far as is known. */
export const isOfAnother = ({ target }: Change, guest: GuestIdentity | undefined): boolean =>
  target.identity !== undefined && guest !== undefined && target.identity.id !== guest.id

/** The changes within a chart's time range, numbered from the oldest. */
export function marksOf(changes: readonly Change[], from: number): { number: number; at: number; id: string }[] {
  return changes
    .filter(({ at, state }) => at >= from && state !== 'failed')
    .sort((a, b) => a.at - b.at)
    .map(({ at, id }, index) => ({ number: index + 1, at, id }))
}

/** The change with which JARVIS destroyed the guest, if there is one. */
export const endIn = (changes: readonly Change[]): Change | undefined =>
  changes.find(({ toolName, state }) => /^destroy_/.test(toolName) && state !== 'failed' && state !== 'unknown')
