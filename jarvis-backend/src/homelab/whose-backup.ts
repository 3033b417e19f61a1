import { whoseAt } from 'homelab-ports/guest-identity'
import type { Backup, Guest, Storage } from 'protocol'
import { plainName } from './format.ts'

export type Whose = Required<Pick<Backup, 'whose'>> & Pick<Backup, 'whoseWords'>

/**
 * Facts that help to tell whose a backup is: the guests, every name that each guest was seen with, the storages, and the user with which this
 * cluster writes to a storage on a backup server.
 */
export type Around = {
  guests: readonly Guest[]
  namesOf(vmid: number): readonly string[]
  storages: readonly Pick<Storage, 'name' | 'node'>[]
  /** The user with which this cluster writes its backups to the storage on a backup server; undefined: not known. */
  writerOf(storage: string): string | undefined
}

/** Matches a backup's notes as the templates of Proxmox and JARVIS write them: the guest's name. */
const nameIn = /^([a-z0-9][a-z0-9.-]*)(?:, by JARVIS)?$/i

/**
 * Tells whose a backup is, by vmid, type, time, name and owner. If several clusters share a storage, it also has backups of other machines with the
 * same vmids.
 * @param all every known backup: shows if notes are guests' names on a storage
 * @returns a function that judges one backup; undefined if no guest has its vmid
 */
export function whoseBackups(all: readonly Backup[], around: Around): (backup: Backup) => Whose | undefined {
  const byVmid = new Map(around.guests.map((guest) => [guest.vmid, guest]))
  const shared = new Set(around.storages.filter(({ node }) => node === undefined).map(({ name }) => name))
  const isNamed = ({ notes = '', vmid }: Backup) => {
    const names = around.namesOf(vmid).map((name) => name.toLowerCase())
    return (notes.toLowerCase().match(/[a-z0-9][a-z0-9.-]*/g) ?? []).some((word) =>
      names.includes(word.replace(/\.$/, '')),
    )
  }
  /**
   * Storages on which notes are guests' names: some backup's notes there name a guest of this cluster. `numbersOf`: the vmids for each text of
   * notes; a text under several vmids is not a name.
   */
  const named = new Set(all.filter(isNamed).map(({ storage }) => storage))
  const numbersOf = new Map<string, Set<number>>()
  for (const { storage, notes, vmid } of all) {
    if (notes === undefined) continue
    const key = `${storage} ${notes}`
    numbersOf.set(key, (numbersOf.get(key) ?? new Set()).add(vmid))
  }
  /** Returns why a backup belongs to another machine, in words; undefined if nothing shows that. */
  function stranger(backup: Backup): string | undefined {
    const { storage, owner, notes = '' } = backup
    if (!shared.has(storage)) return undefined
    const writer = around.writerOf(storage)
    if (owner !== undefined && writer !== undefined && owner !== writer)
      return `its owner there is ${plainName(owner)}, and this cluster writes as ${plainName(writer)}`
    const name = nameIn.exec(notes.trim())?.[1]
    const isWord = (numbersOf.get(`${storage} ${notes}`)?.size ?? 0) > 1
    return name === undefined || isWord || isNamed(backup) || !named.has(storage)
      ? undefined
      : `its notes name ${plainName(name)}`
  }
  /** Storages that hold backups of other machines, made while this cluster's guest already had that vmid. */
  const mixed = new Set<string>()
  for (const backup of all) {
    const at = whoseAt(byVmid.get(backup.vmid)?.identity, backup.createdAt)
    const isHere = byVmid.has(backup.vmid) && at === 'own'
    if (isHere && stranger(backup) !== undefined) mixed.add(backup.storage)
  }

  return (backup) => {
    const guest = byVmid.get(backup.vmid)
    if (guest === undefined) return undefined
    const { vmid, identity } = guest
    const at = whoseAt(identity, backup.createdAt)
    if (at === 'earlier') {
      const { earlier } = identity ?? {}
      const who =
        earlier === undefined
          ? ''
          : ` (${plainName(earlier.name)}, last seen ${new Date(earlier.until).toISOString().slice(0, 10)})`
      return { whose: 'earlier', whoseWords: `of an earlier guest with the number ${vmid}${who}` }
    }
    const type = typeIn(backup.volumeId)
    const why = type !== undefined && type !== guest.type ? `it is of a ${type.toUpperCase()}` : stranger(backup)
    if (why !== undefined) return { whose: 'other', whoseWords: `of another machine with the number ${vmid}: ${why}` }
    if (identity === undefined)
      return { whose: 'unknown', whoseWords: `which guest has the number ${vmid} could not be read` }
    const isOurs = isNamed(backup) || (backup.owner !== undefined && backup.owner === around.writerOf(backup.storage))
    if (mixed.has(backup.storage) && !isOurs)
      return { whose: 'unknown', whoseWords: 'it may be of another cluster’s guest: others write to that storage too' }
    // The name does not exclude an earlier guest with this vmid, which may have had the same name.
    if (at === 'own' || (isNamed(backup) && identity.earlier === undefined)) return { whose: 'own' }
    return { whose: 'unknown', whoseWords: `it may be of an earlier guest with the number ${vmid}` }
  }
}

/** Returns the guest type in a backup's volume id. */
export function typeIn(volumeId: string): Guest['type'] | undefined {
  const [, file, server] = /(?:vzdump-(qemu|lxc)-|\/(vm|ct)\/)/.exec(volumeId) ?? []
  return file === 'qemu' || server === 'vm' ? 'vm' : file === 'lxc' || server === 'ct' ? 'ct' : undefined
}
