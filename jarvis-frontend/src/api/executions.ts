import { ApiError } from 'protocol/client'
import { Value } from '../lib/value.ts'
import { call } from './http.ts'

export type Checked = { outcome: 'done' | 'failed' | 'unknown'; text: string }
/** A check of a call with an unknown outcome. `seen`: the newest answer; `problem`: why the last check failed. */
export type Check = { isLooking: boolean; seen?: Checked & { at: number }; problem?: string }

/** The checks made on this page, by toolUseId. They are kept when the rows that show them are removed. */
export class Checks {
  readonly value = new Value<ReadonlyMap<string, Check>>(new Map())
  readonly #look: (toolUseId: string) => Promise<Checked>
  readonly #now: () => number

  constructor(look: (toolUseId: string) => Promise<Checked>, now: () => number = Date.now) {
    this.#look = look
    this.#now = now
  }

  /** Checks a call once. Does nothing if a check of this call is in progress. Never rejects. */
  async again(toolUseId: string): Promise<void> {
    const before = this.value.get().get(toolUseId)
    if (before?.isLooking === true) return
    const kept = before?.seen === undefined ? {} : { seen: before.seen }
    const looking: Check = { ...kept, isLooking: true }
    this.#set(toolUseId, looking)
    const after = await this.#look(toolUseId).then(
      ({ outcome, text }): Check => ({ isLooking: false, seen: { outcome, text, at: this.#now() } }),
      (error: unknown): Check => ({ ...kept, isLooking: false, problem: problemOf(error) }),
    )
    // The person may have signed out while the check ran.
    if (this.value.get().get(toolUseId) === looking) this.#set(toolUseId, after)
  }

  forget(): void {
    this.value.set(new Map())
  }

  #set(toolUseId: string, check: Check): void {
    this.value.set(new Map(this.value.get()).set(toolUseId, check))
  }
}

const problemOf = (error: unknown) =>
  `${error instanceof ApiError ? error.message : 'The answer could not be read.'} Nothing was run.`

export const checks = new Checks((id) => call('POST /api/executions/:id/check', { params: { id } }))
