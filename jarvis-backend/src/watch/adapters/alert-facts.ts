import type { FactTypes, JarvisFacts } from '../../house.ts'
import { newId } from '../../lib/ids.ts'
import type { AlertMessage } from '../message.ts'

/** Sends messages about alerts as the fact `alert.due`. Create it while a room is opened. */
export class AlertFacts {
  readonly #due: (fact: FactTypes['alert.due']) => void
  readonly #waiting = new Map<string, (words: string) => void>()

  constructor(facts: JarvisFacts, redact: (text: string) => string) {
    this.#due = facts.teller('alert.due')
    facts.on('alert.told', ({ id, words }) => {
      this.#waiting.get(id)?.(redact(words))
      this.#waiting.delete(id)
    })
  }

  /** @returns the words of the message's `alert.told` */
  send(message: AlertMessage): Promise<string> {
    return new Promise((resolve) => {
      const id = newId('tell')
      this.#waiting.set(id, resolve)
      this.#due({ id, message })
    })
  }
}
