/** The types of the items that rooms contribute, by kind: `{ routes: Route; checks: Check }`. */
export type KindTypes = Record<string, unknown>

/** Items that a room contributes, by kind. */
export type Contributions<Kinds extends KindTypes> = { readonly [Kind in keyof Kinds]?: readonly Kinds[Kind][] }

/**
 * Everything that a house does with an open room. All members are optional. The phases run in this order:
 *
 * 1. `resume`, in the order of opening: takes up the work that the last process left. Nothing from outside arrives yet.
 * 2. `start`, in the order of opening, one room after the other: begins background work and opens doors. A slow `start` delays later rooms.
 * 3. `drain`, in reverse order and all at once: takes no more work, and resolves when running work has ended.
 * 4. `stop`, in reverse order, one room after the other: ends timers, connections and background work.
 * 5. `close`, in reverse order, one room after the other: closes doors, and then the files that every room above still used while it stopped.
 */
export type Life<Kinds extends KindTypes> = {
  contributes?: Contributions<Kinds>
  resume?(): void
  start?(): void | Promise<void>
  drain?(): void | Promise<void>
  stop?(): void | Promise<void>
  close?(): void | Promise<void>
  /** Parts for later rooms, by any other name. */
  readonly [part: string]: unknown
}

/** A part of a program that declares its contributions and facts. `open` creates the part and subscribes it to facts; it must not begin any work. */
export type Room<Needs, Opened> = {
  /** Unique in a house. */
  readonly name: string
  open(needs: Needs): Opened
}
