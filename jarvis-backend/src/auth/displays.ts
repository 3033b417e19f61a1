import { Display } from 'protocol'
import type { Settings } from './password.ts'

/** Each person's choices of how the dashboard looks. */
export interface Displays {
  /** @returns an empty choice if the stored form is one that this release cannot read */
  of(person: string): Display
  set(person: string, display: Display): void
}

export function createDisplays(settings: Settings): Displays {
  const keyOf = (person: string) => `display ${person}`
  return {
    of(person) {
      const kept = settings.get(keyOf(person))
      const read = Display.safeParse(kept === undefined ? {} : JSON.parse(kept))
      return read.success ? read.data : {}
    },
    set: (person, display) => settings.set(keyOf(person), JSON.stringify(display)),
  }
}
