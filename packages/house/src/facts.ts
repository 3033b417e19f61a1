/** The types of the facts that rooms tell each other, by name: `{ 'order.paid': { id: string } }`. */
export type FactTypes = Record<string, unknown>

/** The facts that one room uses, by name. */
export type FactUse = { tells: readonly string[]; hears: readonly string[] }

type Listener = { room: string; hear(fact: unknown): void }

/**
 * Facts that one room tells and others hear. A fact is something that has happened: tell it after its transaction is
 * committed. Listeners cannot veto. They hear a fact in the order in which their rooms were opened, before `tell` returns.
 * If a listener throws, the error is reported and the others still hear the fact.
 */
export class Facts<Types extends FactTypes> {
  readonly #listeners = new Map<keyof Types, Listener[]>()
  readonly #uses = new Map<string, { tells: Set<string>; hears: Set<string> }>()
  readonly #report: (error: unknown, message: string) => void
  #opening: string | undefined

  constructor(report: (error: unknown, message: string) => void) {
    this.#report = report
  }

  /** Subscribes the room that is being opened. @throws Error outside `open` */
  on<Name extends keyof Types & string>(name: Name, hear: (fact: Types[Name]) => void): void {
    const room = this.#use('hears', name)
    const listeners = this.#listeners.get(name) ?? []
    listeners.push({ room, hear: hear as Listener['hear'] })
    this.#listeners.set(name, listeners)
  }

  /**
   * Declares that the room that is being opened tells this fact.
   * @returns the function that tells it; it returns false if a listener threw
   * @throws Error outside `open`
   */
  teller<Name extends keyof Types & string>(name: Name): (fact: Types[Name]) => boolean {
    this.#use('tells', name)
    return (fact) => {
      let isHeard = true
      for (const { room, hear } of this.#listeners.get(name) ?? []) {
        try {
          hear(fact)
        } catch (error) {
          isHeard = false
          this.#report(error, `${room} failed on the fact ${name}`)
        }
      }
      return isHeard
    }
  }

  /** Runs `open`. Facts that are declared inside count as used by the room. */
  whileOpening<T>(room: string, open: () => T): T {
    this.#opening = room
    try {
      return open()
    } finally {
      this.#opening = undefined
    }
  }

  /** The facts that a room tells and hears. */
  usesOf(room: string): FactUse {
    const { tells = [], hears = [] } = this.#uses.get(room) ?? {}
    return { tells: [...tells], hears: [...hears] }
  }

  #use(what: 'tells' | 'hears', name: string): string {
    const room = this.#opening
    if (room === undefined) throw new Error(`The fact ${name} is used outside the opening of a room.`)
    const uses = this.#uses.get(room) ?? { tells: new Set(), hears: new Set() }
    uses[what].add(name)
    this.#uses.set(room, uses)
    return room
  }
}
