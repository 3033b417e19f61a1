import { ageOf } from '../../homelab/format.ts'
import type { Check, Measure } from '../check.ts'
import { guestName, guestObject, seen, siteObject, when } from '../measure.ts'

const dayMs = 86_400_000
const mostDays = 90

/** A guest with backups whose restore was not proven recently. */
export const restoreUnproven: Check = {
  id: 'restore-unproven',
  title: 'Restore never proven',
  reads: 'the records of restore drills',
  limit: () => `No drill in ${mostDays} d brought its backup to life.`,
  pace: 'sweep',
  from: ['guests'],
  forMs: 0,
  runbooks: ['restore-drill'],
  look({ state, proofs, now }) {
    // Without a backup there is nothing to prove; another check reports such guests.
    const guests = state.guests.filter((guest) => !guest.isTemplate && typeof guest.backupAt === 'number')
    const never = guests.filter(({ vmid }) => !proofs.has(vmid))
    const proven = guests.flatMap((guest): Measure[] => {
      const proof = proofs.get(guest.vmid)
      if (proof === undefined) return []
      const of = { object: guestObject(guest), inputs: { vmid: guest.vmid } }
      const who = guestName(guest)
      const ago = ageOf(proof.at, now)
      if (proof.verdict === 'failed')
        return [
          { ...of, level: 'failed', words: 'failed', sentence: `The restore of ${who} was tried ${ago} and failed.` },
        ]
      const isOld = now - proof.at > mostDays * dayMs
      return [
        { ...of, level: when(isOld, 'look'), words: ago, sentence: `The restore of ${who} was last proven ${ago}.` },
      ]
    })
    // One measure for all guests without a proof, because one drill each night proves their restores one after the other.
    const count = never.length === guests.length ? 'No' : `For ${never.length} of ${guests.length} guests no`
    const about = sentenceOf(never.length, `${count} restore was ever proven.`)
    const [first] = never
    const of = guests.length === 0 ? [] : [{ ...about, ...(first && { inputs: { vmid: first.vmid } }) }]
    return seen([...proven, ...of])
  },
}

const sentenceOf = (never: number, sentence: string): Measure => ({
  object: siteObject,
  level: when(never > 0, 'info'),
  words: `${never} never proven`,
  value: never,
  sentence: never > 0 ? sentence : 'A restore of every guest was proven.',
})
