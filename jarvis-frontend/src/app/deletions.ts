import type { Value } from '../lib/value.ts'
import type { Deleting } from './deleting.ts'

/** Time in which a deletion can be undone, ms. */
const undoMs = 10_000
/** Minimum time that remains after the pointer or the focus has left Undo, ms. */
const leastMs = 3_000

type Ports = {
  /** Deletes a session on the server. */
  remove(id: string): Promise<unknown>
  /** Told after each answer of the server. */
  settled(): void
  /** Has screen readers read a sentence. */
  say(text: string): void
}

/** Deletes sessions on the server after the time for Undo. */
export class Deletions {
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>()
  readonly #list: Value<readonly Deleting[]>
  readonly #ports: Ports

  constructor(list: Value<readonly Deleting[]>, ports: Ports) {
    this.#list = list
    this.#ports = ports
  }

  /** Hides a session and starts its time for Undo. @param session with its `versions`, which are deleted too */
  add(session: Omit<Deleting, 'until' | 'isSent'>): void {
    const { id, title, versions } = session
    const deletion = { ...session, until: Date.now() + undoMs, isSent: false }
    this.#list.set([...this.#without(id), deletion])
    this.#arm(deletion)
    this.#ports.say(
      `Deleted ${title}${versions.length > 0 ? ' with all its versions' : ''}. It can be taken back for 10 seconds.`,
    )
  }

  /** Undoes a deletion. Does nothing if the server was already told. */
  undo(id: string): void {
    const found = this.#list.get().find((session) => session.id === id)
    if (found === undefined || found.isSent) return
    clearTimeout(this.#timers.get(id))
    this.#list.set(this.#without(id))
    this.#ports.say(`${found.title} is kept.`)
    // The focused button was removed, and a removed button sends no blur event. So release the timers here.
    this.hold(false)
  }

  /** Stops the timers while the pointer or the focus is on Undo, and starts them again afterwards. */
  hold(isHeld: boolean): void {
    const least = Date.now() + leastMs
    const waits = ({ isSent }: Deleting) => !isSent
    if (!isHeld)
      this.#list.set(this.#list.get().map((one) => (waits(one) ? { ...one, until: Math.max(one.until, least) } : one)))
    for (const session of this.#list.get().filter(waits)) {
      if (isHeld) clearTimeout(this.#timers.get(session.id))
      else this.#arm(session)
    }
  }

  #without(id: string): Deleting[] {
    return this.#list.get().filter((session) => session.id !== id)
  }

  #arm({ id, until }: Deleting): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.set(
      id,
      setTimeout(() => void this.#end(id), until - Date.now()),
    )
  }

  async #end(id: string): Promise<void> {
    this.#timers.delete(id)
    this.#list.set(this.#list.get().map((session) => (session.id === id ? { ...session, isSent: true } : session)))
    await this.#ports.remove(id).catch((error: Error) => this.#ports.say(`Not deleted. ${error.message}`))
    this.#list.set(this.#without(id))
    this.#ports.settled()
  }
}
