import { backupsIn, guestsIn, printed, type StorageFacts, storagesIn } from '../facts.ts'
import { offer } from '../offers.ts'
import type { Seen } from '../seen.ts'
import { counted, plain, table } from '../words.ts'
import { type Finding, gaps, type Inquiry, isOffered, type Reads, read, ssh, unread } from './inquiry.ts'

const storages = read('get_storage')
const most = 5

/** Finds what uses the space of a storage. @param name undefined: the fullest storage that can be reached */
export function fillsStorage(name?: string): Inquiry {
  return {
    find(seen): Reads | Finding {
      const missing = unread(seen, [storages])
      if (missing.length > 0) return { reads: missing }
      const all = storagesIn(seen.text(storages) ?? '')
      const storage =
        name === undefined
          ? all.filter(({ isReachable }) => isReachable).toSorted((a, b) => b.percent - a.percent)[0]
          : all.find((candidate) => candidate.name === name)
      if (storage === undefined)
        return {
          say: `I could not read ${name === undefined ? 'the storages' : `the storage ${plain(name)}`}. ${gaps(seen, [storages])}`,
        }
      const head = `**${plain(storage.name)} is ${storage.percent} % full**: ${storage.used} of ${storage.total} ${storage.isReachable ? 'is used' : 'was used when it was last seen; it is not reachable now'}.`
      const node = /^on (\S+)$/.exec(storage.place)?.[1]
      if (storage.type === 'zfspool' && node !== undefined && storage.isReachable)
        return ofPool(seen, storage, { node, head })
      return ofOther(seen, storage, head)
    },
  }
}

function ofPool(seen: Seen, { name }: StorageFacts, { node, head }: { node: string; head: string }): Reads | Finding {
  const list = ssh(node, `zfs list -H -p -r -t filesystem,volume,snapshot -o name,used,creation ${name}`)
  const guests = [read('get_vms', { node }), read('get_containers', { node })]
  const missing = unread(seen, [list, ...guests])
  if (missing.length > 0) return { reads: missing }
  const known = guests.flatMap((call) => guestsIn(seen.text(call) ?? ''))
  const rows = (printed(seen.text(list)) ?? '').split('\n').flatMap((line) => {
    const [path = '', used = '', created = ''] = line.split('\t')
    const [, vmid, snapshot] = /\/(?:vm|subvol|base)-(\d+)-disk-\d+(?:@(.+))?$/.exec(path) ?? []
    const guest = known.find((candidate) => String(candidate.vmid) === vmid)
    return vmid === undefined || !/^\d+$/.test(used)
      ? []
      : [
          {
            path,
            vmid,
            who: `${vmid}${guest === undefined ? '' : ` ${plain(guest.name)}`}`,
            snapshot,
            bytes: Number(used),
            createdAt: Number(created) * 1_000,
          },
        ]
  })
  if (rows.length === 0) return { say: `${head}\n\nWhat is in it I could not list. ${gaps(seen, [list])}` }
  const ofSnapshots = rows.filter(({ snapshot }) => snapshot !== undefined).toSorted((a, b) => b.bytes - a.bytes)
  const disks = rows.filter(({ snapshot }) => snapshot === undefined).toSorted((a, b) => b.bytes - a.bytes)
  const held = ofSnapshots.reduce((sum, { bytes }) => sum + bytes, 0)
  const [largest] = ofSnapshots
  const top = [
    ...disks.slice(0, most).map(({ who, bytes, vmid }) => {
      const inSnapshots = ofSnapshots.filter((row) => row.vmid === vmid).reduce((sum, row) => sum + row.bytes, 0)
      return [who, size(bytes), inSnapshots === 0 ? '-' : size(inSnapshots)]
    }),
  ]
  const story =
    largest === undefined || held * 10 < disks.reduce((sum, { bytes }) => sum + bytes, 0)
      ? `Snapshots hardly count (${size(held)}); the disks themselves do. Nothing I have keeps a record of their sizes, so which of them grew I cannot say, only which are large:`
      : `${size(held)} of it ${ofSnapshots.length === 1 ? 'is one snapshot:' : `are ${counted(ofSnapshots.length, 'snapshot')}, the largest`} \`${largest.snapshot}\` of ${largest.who}, made on ${new Date(largest.createdAt).toISOString().slice(0, 10)}. It keeps whatever ${largest.who} deleted or overwrote since, and so it grows by itself. No record of the sizes over time is kept; this is what stands out.`
  const advice =
    largest === undefined || story.startsWith('Snapshots hardly')
      ? 'I have no tool that deletes or moves a disk; in Proxmox it is done under the guest’s Hardware.'
      : isOffered(seen, 'delete_snapshot')
        ? `If nobody needs it any more, say ${offer(`delete the snapshot ${largest.snapshot} of ${largest.vmid}`)}. Its guest keeps what it has now.`
        : `If nobody needs it any more, on ${plain(node)}: \`qm delsnapshot ${largest.vmid} ${largest.snapshot}\`.`
  return {
    say: [head, story, table(['Guest', 'Disk with snapshots:', 'Of that, snapshots:'], top), advice].join('\n\n'),
  }
}

/** Describes a shared storage by the backups on it. */
function ofOther(seen: Seen, { name, place, type }: StorageFacts, head: string): Reads | Finding {
  const backups = read('get_backups', { storage: name })
  const missing = unread(seen, [backups])
  if (missing.length > 0) return { reads: missing }
  const text = seen.text(backups) ?? ''
  const guests = backupsIn(text).filter(({ storage }) => storage === name)
  const count = /^(\d+) backups\./.exec(text)?.[1]
  const kept = guests.length === 0 ? '' : `Of backups it holds ${count}, of ${counted(guests.length, 'guest')}.`
  return {
    say: [
      head,
      kept,
      `It is ${place === 'shared' ? `shared, of the type ${type}` : `${place}, of the type ${type}`}; what else lies in it no tool of mine lists.`,
      gaps(seen, [backups]),
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
  }
}

function size(bytes: number): string {
  const gib = bytes / 1024 ** 3
  return gib >= 1024 ? `${(gib / 1024).toFixed(2)} TiB` : `${Math.round(gib)} GiB`
}
