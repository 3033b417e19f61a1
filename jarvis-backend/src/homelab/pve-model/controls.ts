import type { Model } from './model.ts'

/** What tests do to the model from outside. The product never touches it. */
export function createModelControls(model: Model) {
  const { host, files, faults } = model
  return {
    /** Its next task that the model does ends with these words, and changes nothing. */
    failNextTask: (vmid: number, words: string) => void faults.failNext.set(vmid, words),
    /** Tasks end so much later, in ms of the cluster's time. */
    lateTasks(ms: number) {
      faults.lateMs = ms
    },
    /** The next restore to that id breaks off once its volumes are made. */
    breakNextRestore: (vmid: number) => void faults.breakRestore.add(vmid),
    /** Somebody else writes into its file. */
    changeBehind(vmid: number, key: string, value: string) {
      const guest = host.guest(vmid)
      if (guest === undefined) throw new Error(`no guest ${vmid}`)
      files.of(guest).config[key] = value
    },
    silenceAgent(vmid: number, isSilent: boolean) {
      if (isSilent) faults.silentAgents.add(vmid)
      else faults.silentAgents.delete(vmid)
    },
  }
}

export type ModelControls = ReturnType<typeof createModelControls>
