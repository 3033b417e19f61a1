import type { Cluster, PveApi } from 'homelab-ports/ports'
import type { Clock } from '../lib/clock.ts'
import { removeCopy, restoreEnded } from './copy.ts'
import type { Drill, DrillStore } from './drill.ts'
import { nextStep } from './steps.ts'
import { sentenceOf, withStop } from './words.ts'

/** The most attempts to remove a copy while somebody waits. A task that still works on the copy prevents its removal. */
const triesAtOnce = 4
const nextTryMs = 10_000
/** Pause between the later attempts, while the cluster does not answer or refuses, ms. */
const againEveryMs = 60_000

export type CleaningParts = {
  store: Pick<DrillStore, 'save'>
  api: PveApi
  cluster: Pick<Cluster, 'tasks'>
  clock: Clock
  journal: { append(kind: 'drill', body: Record<string, unknown>): void }
  durably<T>(work: () => T): T
  redact(text: string): string
  announce(text: string, level: 'info' | 'warning'): void
  /** Called after each step. */
  changed(): void
  /** Stores a change of the drill. @returns the changed drill */
  keep(drill: Drill, change: Partial<Drill>): Drill
  stopping: AbortSignal
}

/** Removes the copies of drills. If the cluster prevents it, tries again every minute. */
export class Cleaning {
  readonly #parts: CleaningParts
  #working: Promise<unknown> | undefined
  #disarm = () => {}

  constructor(parts: CleaningParts) {
    this.#parts = parts
  }

  /**
   * Tries to remove the copy until it is gone or is found not to be the drill's. No other drill may begin meanwhile.
   * @returns the ended drill; or the drill in the step `cleaning`, if the copy could not be removed yet
   */
  async remove(drill: Drill, isRestart: boolean): Promise<Drill> {
    const { clock, redact, announce, keep, stopping } = this.#parts
    try {
      const cleaning = this.#cleanUpInTries(drill, isRestart)
      this.#working = cleaning
      return await cleaning
    } catch (error) {
      if (stopping.aborted) return drill
      const why = redact(error instanceof Error ? error.message : String(error))
      const left = `The copy ${drill.copy} may still be there: ${withStop(why)} JARVIS tries again every minute.`
      if (drill.left !== left) announce(`The drill of ${drill.vmid}: ${left}`, 'warning')
      const waiting = keep(drill, { left })
      this.#disarm = clock.after(againEveryMs, () => void this.remove(waiting, isRestart))
      return waiting
    } finally {
      this.#working = undefined
    }
  }

  /** Stops further attempts, and waits for the running one. Call it after the stopping signal. */
  async stop(): Promise<void> {
    this.#disarm()
    await this.#working?.catch(() => {})
  }

  async #cleanUpInTries(drill: Drill, isRestart: boolean): Promise<Drill> {
    const { api, stopping } = this.#parts
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#cleanUp(drill, isRestart)
      } catch (error) {
        if (tries === triesAtOnce || stopping.aborted) throw error
        await api.wait(nextTryMs, stopping)
      }
    }
  }

  /** Removes the copy. @returns the ended drill @throws if the copy could not be removed now; the drill stays in the step `cleaning` */
  async #cleanUp(drill: Drill, isRestart: boolean): Promise<Drill> {
    const { store, api, journal, durably, announce, changed, stopping } = this.#parts
    await restoreEnded(this.#parts, drill, { isWanted: false, signal: stopping })
    const left = await removeCopy(this.#parts, drill, stopping)
    const ended: Drill = {
      ...drill,
      step: nextStep('cleaning', 'done'),
      endedAt: api.now(),
      left,
      verdict: drill.verdict === 'open' ? 'stopped' : drill.verdict,
    } as Drill
    if (left === undefined) delete ended.left
    durably(() => {
      store.save(ended)
      const { id, vmid, type, copy, level, verdict, problem, archive } = ended
      journal.append('drill', {
        change: isRestart ? 'cleaned_up' : 'ended',
        drill: id,
        target: `${type}/${vmid}`,
        copy,
        level,
        verdict,
        archive,
        copyIs: left === undefined ? 'removed' : 'not_removed',
        ...(problem !== undefined && { problem }),
        ...(left !== undefined && { left }),
      })
    })
    announce(sentenceOf(ended), left === undefined && ended.verdict === 'proven' ? 'info' : 'warning')
    changed()
    return ended
  }
}
