import { GlassBroken } from 'protocol'
import { z } from 'zod'
import { named } from '../../gate/index.ts'
import type { Clock } from '../../lib/clock.ts'
import type { BrokenGlass } from './decide.ts'

/** How long the dashboard says that the glass was broken, ms. */
const shownForMs = 24 * 60 * 60_000
const key = 'broken_glass'
const Kept = z.array(GlassBroken)

/** Tells of each decision that an owner made alone, at once and for a day. The journal has it for good. */
export function createGlass(parts: {
  settings: { get(key: string): string | undefined; set(key: string, value: string): void }
  clock: Clock
  /** A line of activity. */
  announce(text: string, level: 'info' | 'warning'): void
  /** The list has changed. */
  changed(): void
  /** A push message to whoever may decide cards. */
  tell(message: { title: string; body: string; hidden: string; tag: string; path: string }): void
}) {
  const { settings, clock } = parts

  function recent(): GlassBroken[] {
    const kept = settings.get(key)
    if (kept === undefined) return []
    const read = Kept.safeParse(JSON.parse(kept))
    return read.success ? read.data.filter(({ at }) => at > clock.now() - shownForMs) : []
  }

  return {
    /** Those of the last day, oldest first. */
    recent,
    broken({ card, person, reason }: BrokenGlass): void {
      const { toolUseId, toolName } = card
      const at = clock.now()
      settings.set(
        key,
        JSON.stringify([...recent(), { toolUseId, toolName, person: person.id, name: person.name, reason, at }]),
      )
      parts.changed()
      const text = `${named(person.name)} broke the glass and approved ${named(toolName)} alone: ${reason}`
      parts.announce(text, 'warning')
      parts.tell({
        title: 'The glass was broken',
        body: text,
        hidden: 'An owner approved a call alone.',
        tag: `glass-${toolUseId}`,
        path: '/journal',
      })
    },
  }
}
