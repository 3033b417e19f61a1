import { GlassBroken } from 'protocol'
import { z } from 'zod'
import { named } from '../../gate/index.ts'
import type { Clock } from '../../lib/clock.ts'
import type { BrokenGlass } from './decide.ts'

/** Time for which the dashboard shows that an owner broke the glass, ms. */
const shownForMs = 24 * 60 * 60_000
const key = 'broken_glass'
const Kept = z.array(GlassBroken)

export type GlassParts = {
  settings: { get(key: string): string | undefined; set(key: string, value: string): void }
  clock: Clock
  /** Adds an activity line. */
  announce(text: string, level: 'info' | 'warning'): void
  /** Called after each change of the list. */
  changed(): void
  /** Sends a push message to the people who may decide cards. */
  tell(message: { title: string; body: string; hidden: string; tag: string; path: string }): void
}

/** Announces each decision that an owner made alone: at once, and in the dashboard for a day. The journal keeps the decision permanently. */
export class Glass {
  readonly #parts: GlassParts

  constructor(parts: GlassParts) {
    this.#parts = parts
  }

  /** Lists the decisions of the last day, oldest first. */
  recent(): GlassBroken[] {
    const { settings, clock } = this.#parts
    const kept = settings.get(key)
    if (kept === undefined) return []
    const read = Kept.safeParse(JSON.parse(kept))
    return read.success ? read.data.filter(({ at }) => at > clock.now() - shownForMs) : []
  }

  broken({ card, person, reason }: BrokenGlass): void {
    const { settings, clock, announce, changed, tell } = this.#parts
    const { toolUseId, toolName } = card
    const at = clock.now()
    settings.set(
      key,
      JSON.stringify([...this.recent(), { toolUseId, toolName, person: person.id, name: person.name, reason, at }]),
    )
    changed()
    const text = `${named(person.name)} broke the glass and approved ${named(toolName)} alone: ${reason}`
    announce(text, 'warning')
    tell({
      title: 'The glass was broken',
      body: text,
      hidden: 'An owner approved a call alone.',
      tag: `glass-${toolUseId}`,
      path: '/journal',
    })
  }
}
