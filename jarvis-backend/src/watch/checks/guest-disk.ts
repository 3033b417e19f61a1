import { percent } from 'node-kit/words'
import { isLeftOut, shareOf } from 'protocol/facts'
import type { Check, Measure } from '../check.ts'
import { guestName, guestObject, over, seen } from '../measure.ts'

const share = { look: 0.9, failed: 0.97, clear: 0.85 }

/** The root disk of a container. For a VM, Proxmox knows only the size of the disks. */
export const guestDisk: Check = {
  id: 'guest-disk',
  title: 'Disk of a container',
  reads: 'GET /cluster/resources, disk of maxdisk',
  limit: () => `${percent(share.look)} full, failed at ${percent(share.failed)}, clears at ${percent(share.clear)}.`,
  pace: 'state',
  from: ['guests'],
  forMs: 5 * 60_000,
  look({ state, limits }) {
    const measures = state.guests
      .filter(({ type, isTemplate }) => type === 'ct' && !isTemplate)
      .filter(({ diskTotalBytes }) => !isLeftOut({ name: '/', totalBytes: diskTotalBytes }, limits))
      .flatMap((guest): Measure[] => {
        const full = shareOf(guest.diskBytes, guest.diskTotalBytes)
        const object = guestObject(guest)
        const who = guestName(guest)
        if (guest.status === 'stopped') return []
        if (full === undefined)
          return [{ object, level: 'unseen', words: 'unknown', sentence: `The disk of ${who} is not known.` }]
        const words = `${percent(full)} full`
        const chart = { series: `guest/${guest.vmid}`, field: 'diskRatio', limit: share.look, clears: share.clear }
        const of = { object, words, value: full, chart, inputs: { vmid: guest.vmid } }
        return [{ ...of, level: over(full, share), sentence: `The disk of ${who} is ${words}.` }]
      })
    return seen(measures)
  },
}
