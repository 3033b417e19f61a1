import type { Model } from './model.ts'

/** How tests change the model from outside. The product never calls these. */
export function createModelControls(model: Model) {
  const { host, files, faults } = model
  return {
    /** Makes the guest's next task end with this error and change nothing. */
    failNextTask: (vmid: number, words: string) => void faults.failNext.set(vmid, words),
    /** Makes each task take longer, by ms of the cluster's time. */
    lateTasks(ms: number) {
      faults.lateMs = ms
    },
    /** Makes the next restore to that id break off after it made the volumes. */
    breakNextRestore: (vmid: number) => void faults.breakRestore.add(vmid),
    /** Changes the guest's file as another client would. */
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
