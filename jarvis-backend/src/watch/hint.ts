import type { Clock } from '../lib/clock.ts'
import type { Check } from './check.ts'

/** The checks that a notification of Proxmox concerns, by its type. */
const about: Readonly<Record<string, readonly string[]>> = {
  vzdump: ['backup-failed', 'backup-verify'],
  replication: ['replication'],
  'package-updates': ['updates', 'updates-security', 'repositories'],
  fencing: ['ha-state'],
}
const pauseMs = 60_000

export type HintsParts = {
  checks(): readonly Check[]
  /** Makes checks sweep soon. */
  soon(ids: readonly string[]): void
  clock: Pick<Clock, 'after'>
}

/** Lets checks sweep early if a notification of Proxmox is about their subject, at most once a minute. */
export class Hints {
  readonly #parts: HintsParts
  /** Checks that sweep after the pause. */
  readonly #wanted = new Set<string>()
  #isPausing = false

  constructor(parts: HintsParts) {
    this.#parts = parts
  }

  /** @param type the notification's; an unknown type concerns all checks */
  hear(type: string | undefined): void {
    const known = type !== undefined && Object.hasOwn(about, type) ? about[type] : undefined
    for (const id of known ?? this.#parts.checks().map((check) => check.id)) this.#wanted.add(id)
    this.#look()
  }

  #look(): void {
    if (this.#isPausing || this.#wanted.size === 0) return
    this.#isPausing = true
    this.#parts.soon([...this.#wanted])
    this.#wanted.clear()
    this.#parts.clock.after(pauseMs, () => {
      this.#isPausing = false
      this.#look()
    })
  }
}
