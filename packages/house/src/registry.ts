/**
 * The items of one kind that the rooms of a house contribute, in the order of opening. Rooms may hold a registry before it is complete. Reading
 * before `seal` throws, so that nobody uses an incomplete list.
 */
export class Registry<Item> {
  readonly #kind: string
  readonly #nameOf: (item: Item) => string
  readonly #entries = new Map<string, { room: string; item: Item }>()
  #list: readonly Item[] | undefined

  /** @param nameOf must return a name that is unique within the kind */
  constructor(kind: string, nameOf: (item: Item) => string) {
    this.#kind = kind
    this.#nameOf = nameOf
  }

  /** @throws Error if the registry is sealed, or if a name is taken: the message names both rooms. */
  add(room: string, items: readonly Item[]): void {
    if (this.#list !== undefined) throw new Error(`${room} adds ${this.#kind} after the start.`)
    for (const item of items) {
      const name = this.#nameOf(item)
      const other = this.#entries.get(name)
      if (other !== undefined)
        throw new Error(`${this.#kind}: ${JSON.stringify(name)} is contributed by ${other.room} and by ${room}.`)
      this.#entries.set(name, { room, item })
    }
  }

  /** Ends contributions and allows reading. */
  seal(): void {
    this.#list ??= [...this.#entries.values()].map(({ item }) => item)
  }

  /** All items in the order of opening; always the same array. @throws Error before `seal` */
  list(): readonly Item[] {
    return this.#sealed()
  }

  /** The item with this name. @throws Error before `seal` */
  get(name: string): Item | undefined {
    this.#sealed()
    return this.#entries.get(name)?.item
  }

  /** The room that contributed the item with this name. @throws Error before `seal` */
  roomOf(name: string): string | undefined {
    this.#sealed()
    return this.#entries.get(name)?.room
  }

  #sealed(): readonly Item[] {
    if (this.#list === undefined) throw new Error(`The ${this.#kind} are read before all rooms are open.`)
    return this.#list
  }
}
