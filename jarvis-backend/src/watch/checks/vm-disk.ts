import { percent } from 'node-kit/words'
import { isLeftOut, shareOf } from 'protocol/facts'
import { z } from 'zod'
import { plainName } from '../../homelab/format.ts'
import { figure, words as text } from '../../homelab/pve/answers.ts'
import { guestPath } from '../../homelab/pve/guest.ts'
import { isForbidden } from '../../homelab/pve/rights.ts'
import { CannotRun, type Check, type Measure } from '../check.ts'
import { guestName, guestObject, over } from '../measure.ts'

const share = { look: 0.9, failed: 0.97, clear: 0.85 }
/** File systems of read-only images, which are always full. */
const images = new Set(['squashfs', 'iso9660', 'udf', 'cdfs', 'erofs', 'cramfs'])
/** File systems that are always small and full: boot loaders, firmware, kernels, and a recovery volume of Windows without a drive letter. */
const small = /^(?:\/boot(?:\/.*)?|\/efi|\/recovery|\\\\\?\\Volume\{.*|System Reserved)$/i
/** Minimum size of a file system that is checked, bytes. A smaller one holds no data that grows. */
const leastBytes = 1024 ** 3

const Status = z.object({ agent: z.coerce.number().optional() })
const Answer = z.object({
  result: z.array(z.object({ mountpoint: text, type: text, 'total-bytes': figure, 'used-bytes': figure })),
})

/** The fullest file system of a VM. Proxmox knows it only from the guest agent. */
export const vmDisk: Check = {
  id: 'vm-disk',
  title: 'Disk of a VM',
  reads: 'GET /nodes/{node}/qemu/{vmid}/agent/get-fsinfo',
  limit: () =>
    `${percent(share.look)} full, failed at ${percent(share.failed)}, clears at ${percent(share.clear)}; /boot, EFI, recovery, images and what is below 1 GiB aside.`,
  pace: 'sweep',
  from: ['nodes', 'guests'],
  forMs: 0,
  async look({ state, api, limits, signal }) {
    const measures: Measure[] = []
    const unread = new Map<string, string>()
    for (const { name, status } of state.nodes) if (status !== 'online') unread.set(name, `${name} is ${status}`)
    for (const guest of state.guests) {
      if (guest.type !== 'vm' || guest.status === 'stopped' || unread.has(guest.node)) continue
      const of = { object: guestObject(guest), inputs: { vmid: guest.vmid } }
      const who = guestName(guest)
      try {
        const { agent } = Status.parse(await api.get([...guestPath(guest), 'status', 'current'], {}, { signal }))
        if (agent !== 1) continue
        const { result } = Answer.parse(await api.get([...guestPath(guest), 'agent', 'get-fsinfo'], {}, { signal }))
        const looked = result.filter(
          ({ type, mountpoint = '/', 'total-bytes': totalBytes }) =>
            !isLeftOut({ name: mountpoint, type, totalBytes }, limits),
        )
        if (result.length > 0 && looked.length === 0) continue
        const [fullest] = looked
          .filter(({ type = '', mountpoint = '/', 'total-bytes': total = leastBytes }) => {
            return !images.has(type.toLowerCase()) && !small.test(mountpoint) && total >= leastBytes
          })
          .flatMap(({ mountpoint = '/', 'total-bytes': total, 'used-bytes': used }) => {
            const full = shareOf(used, total)
            return full === undefined ? [] : [{ mountpoint, full }]
          })
          .sort((a, b) => b.full - a.full)
        if (fullest === undefined) {
          measures.push({
            ...of,
            level: 'unseen',
            words: 'unknown',
            sentence: `The agent of ${who} names no disk with its size.`,
          })
          continue
        }
        const words = `${plainName(fullest.mountpoint)} ${percent(fullest.full)} full`
        const level = over(fullest.full, share)
        measures.push({ ...of, level, words, value: fullest.full, sentence: `The disks of ${who}: ${words}.` })
      } catch (error) {
        signal.throwIfAborted()
        if (isForbidden(error)) throw new CannotRun('The token needs VM.GuestAgent.Audit on /vms.')
        measures.push({ ...of, level: 'unseen', words: 'unknown', sentence: `The disks of ${who} are not known.` })
      }
    }
    return { measures, unread }
  },
}
