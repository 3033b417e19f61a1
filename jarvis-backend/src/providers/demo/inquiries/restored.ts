import { freeId, type OfGuest, storagesFor, unquoted } from '../act-inputs.ts'
import { plain } from '../words.ts'
import { type Finding, gaps, type Inquiry, notDone, type Reads, read } from './inquiry.ts'

/** Restores a guest's newest backup beside it, under a new id. */
export function restored({ guest, words, cluster }: OfGuest): Inquiry {
  const list = read('get_backups', { vmid: guest.vmid })
  const who = `${guest.vmid} ${plain(guest.name)}`
  return {
    find(seen): Reads | Finding {
      if (seen.of(list) === undefined) return { reads: [list] }
      const [, age, archive] = /^(.+?) ago on .*, (\S+:backup\/\S+)$/m.exec(seen.text(list) ?? '') ?? []
      if (archive === undefined)
        return { say: `I see no backup of ${who} that can be read now. ${gaps(seen, [list])}`.trim() }
      // By then the copy is there, so its id is no longer free.
      const made = seen.all.find(({ toolName }) => toolName === 'restore_guest')
      if (made !== undefined) return { say: '', act: read('restore_guest', made.toolInput) }
      const [storage] = storagesFor(cluster, guest.node, guest.type === 'vm' ? 'images' : 'rootdir')
      if (storage === undefined) return { say: `I see no storage on ${plain(guest.node)} for the disks of a copy.` }
      const newId = freeId(cluster, guest, words.id)
      const name = unquoted(words.name) || `${guest.name}-restored`
      return {
        say: `The newest backup of ${who} is ${age} old. I restore it beside the guest, as ${newId} ${plain(name)}; the guest stays as it is.`,
        act: read('restore_guest', { archive, newId, name, node: guest.node, storage: storage.name }),
      }
    },
    check: (_seen, act) => ({ say: notDone(act, who) ?? `Very good, sir. ${act.text}` }),
  }
}
