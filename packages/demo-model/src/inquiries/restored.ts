import { freeId, type OfGuest, storagesFor, unquoted } from '../act-inputs.ts'
import { plain } from '../words.ts'
import { type Finding, gaps, type Inquiry, type Reads, read } from './inquiry.ts'

/**
 * Finds a guest's newest backup, and tells the sentence that a person types to restore it beside the guest. The demo cannot propose the restore,
 * because the gate accepts no backup name that only a result has named.
 */
export function restored({ guest, words, cluster }: OfGuest): Inquiry {
  const list = read('get_backups', { vmid: guest.vmid })
  const who = `${guest.vmid} ${plain(guest.name)}`
  return {
    find(seen): Reads | Finding {
      if (seen.of(list) === undefined) return { reads: [list] }
      const [, age, archive] = /^(.+?) ago on .*, (\S+:backup\/\S+)$/m.exec(seen.text(list) ?? '') ?? []
      if (archive === undefined)
        return { say: `I see no backup of ${who} that can be read now. ${gaps(seen, [list])}`.trim() }
      const [storage] = storagesFor(cluster, guest.node, guest.type === 'vm' ? 'images' : 'rootdir')
      if (storage === undefined) return { say: `I see no storage on ${plain(guest.node)} for the disks of a copy.` }
      const name = unquoted(words.name) || `${guest.name}-restored`
      const typed = `archive=${archive} newId=${freeId(cluster, guest, words.id)} name=${name} node=${guest.node} storage=${storage.name}`
      return {
        say: `The newest backup of ${who} is ${age} old. That it is this backup which is restored, and where to, a person must write. Type:\n\n\`/restore_guest ${typed}\`\n\nThe copy is made beside the guest, which stays as it is.`,
      }
    },
  }
}
