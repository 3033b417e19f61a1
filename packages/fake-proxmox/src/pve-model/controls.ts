import { type Config, nameKey } from './guests/files.ts'
import { claimGuest, completeGuest, marksOfNew } from './guests/new-guest.ts'
import { macOf, usualConfig } from './guests/usual-config.ts'
import type { HostBackup } from './host.ts'
import type { Model } from './model.ts'
import type { NodeFacts } from './nodes/facts.ts'

/** Lets tests change the model from outside. The product never calls these functions. */
export function createModelControls(model: Model) {
  const { host, files, faults } = model
  return {
    /** Makes the guest's next task end with this error and change nothing. */
    failNextTask: (vmid: number, words: string) => void faults.failNext.set(vmid, words),
    /** Makes each task take longer, by ms of the cluster's time. */
    lateTasks(ms: number) {
      faults.lateMs = ms
    },
    /** Makes the next restore to this vmid fail after it has created the volumes. */
    breakNextRestore: (vmid: number) => void faults.breakRestore.add(vmid),
    /** Changes a guest's configuration file, as another client would. */
    changeBehind(vmid: number, key: string, value: string) {
      const guest = host.guest(vmid)
      if (guest === undefined) throw new Error(`no guest ${vmid}`)
      files.of(guest).config[key] = value
    },
    /**
     * Replaces a guest at once by another one of the same type, name, node and state, as can happen between two reads. Backups stay.
     * @param isListed true: the tasks of this replacement are in the task list
     */
    replaceGuest(vmid: number, isListed: boolean) {
      const guest = host.guest(vmid)
      if (guest === undefined) throw new Error(`no guest ${vmid}`)
      const { type, node, name, status, startedAt } = guest
      const task = (word: string) => {
        const upid = isListed
          ? host.beginTask(node, `${type === 'qemu' ? 'qm' : 'vz'}${word}`, String(vmid))
          : undefined
        return () => upid !== undefined && host.endTask(upid, 'OK')
      }
      const mac = macOf(900_000 + host.tasks().length * 1_000 + (vmid % 1_000))
      const { net0 = '', ...usual } = usualConfig(guest)
      const card = { net0: net0.replace(/[0-9A-F]{2}(?::[0-9A-F]{2}){5}/, mac), [nameKey(type)]: name }
      const config = { ...usual, ...(type === 'qemu' && marksOfNew(model, vmid)), ...card }
      const destroyed = task('destroy')
      files.remove(vmid)
      host.removeGuest(vmid)
      destroyed()
      const created = task('create')
      const made = { vmid, type, node, config, pool: undefined }
      claimGuest(model, made)
      completeGuest(model, made)
      host.changeGuest(vmid, { status, startedAt })
      created()
    },
    /** Adds a backup that another cluster made under the same vmid. @param config configuration in the backup */
    addForeignBackup(
      vmid: number,
      { config, ...backup }: Pick<HostBackup, 'volid' | 'storage' | 'ctime' | 'notes' | 'owner'> & { config: Config },
    ) {
      const type = backup.volid.includes('/vm/') ? ('qemu' as const) : ('lxc' as const)
      const format = type === 'qemu' ? 'pbs-vm' : 'pbs-ct'
      model.archives.set(backup.volid, { type, config, isProtected: false, notes: backup.notes ?? '' })
      host.addBackup({ ...backup, vmid, node: undefined, sizeBytes: 1024 ** 3, format })
    },
    /** Changes a fact of a node. */
    setFact<K extends keyof NodeFacts>(node: string, fact: K, value: NodeFacts[K]) {
      host.facts.node(node)[fact] = value
    },
    silenceAgent(vmid: number, isSilent: boolean) {
      if (isSilent) faults.silentAgents.add(vmid)
      else faults.silentAgents.delete(vmid)
    },
  }
}

export type ModelControls = ReturnType<typeof createModelControls>
