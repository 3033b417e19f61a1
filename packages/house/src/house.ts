import { Facts, type FactTypes, type FactUse } from './facts.ts'
import { Registry } from './registry.ts'
import type { KindTypes, Life, Room } from './room.ts'

export type HouseOptions<Kinds extends KindTypes> = {
  /** The unique name of an item, by kind. */
  kinds: { readonly [Kind in keyof Kinds]: (item: Kinds[Kind]) => string }
  /** Receives the errors of listeners and of rooms that do not start or stop. */
  report(error: unknown, message: string): void
  /** Longest time that `stop` and `close` each wait for one room, ms. */
  stopMs: number
  /** Calls `run` after `ms`. @returns cancels the call. Default: `setTimeout`, which does not keep the process alive */
  after?: (ms: number, run: () => void) => () => void
}

/** The record of a room that was opened. `given`: each need, and the room of this house that provides it, if any. */
export type RoomRecord = FactUse & {
  name: string
  given: readonly { need: string; from?: string }[]
  contributes: Readonly<Record<string, readonly string[]>>
  state: 'open' | 'started' | 'failed' | 'stopped' | 'closed'
  /** Message of the error, if the room failed. */
  problem?: string | undefined
}

type Registries<Kinds extends KindTypes> = { [Kind in keyof Kinds]: Registry<Kinds[Kind]> }
type OpenRoom<Kinds extends KindTypes> = { record: RoomRecord; life: Life<Kinds> }

/**
 * A program as a list of rooms. Open the rooms in plain code, top to bottom: a room gets the parts of earlier rooms as
 * arguments, so the compiler finds a missing need and no circle is possible. `resume` seals the registries.
 */
export class House<Kinds extends KindTypes, Types extends FactTypes> {
  readonly facts: Facts<Types>
  readonly #options: HouseOptions<Kinds>
  readonly #registries: Registries<Kinds>
  readonly #rooms: OpenRoom<Kinds>[] = []
  readonly #stopping = new AbortController()
  /** The room that provides each part. Only objects and functions can be recognized. */
  readonly #providers = new Map<unknown, string>()

  constructor(options: HouseOptions<Kinds>) {
    this.#options = options
    this.facts = new Facts(options.report)
    const made = Object.entries(options.kinds).map(([kind, nameOf]) => [kind, new Registry(kind, nameOf)])
    this.#registries = Object.fromEntries(made) as Registries<Kinds>
  }

  /** The registry of one kind. A room may hold it while rooms are opened, and read it from `resume` on. */
  registry<Kind extends keyof Kinds>(kind: Kind): Registry<Kinds[Kind]> {
    return this.#registries[kind]
  }

  /**
   * Opens a room and registers its contributions.
   * @returns what the room's `open` returns
   * @throws Error if a room with this name is open, or if a contributed name is taken. Errors of `open` pass through.
   */
  open<Needs, Opened extends Life<Kinds>>(room: Room<Needs, Opened>, needs: Needs): Opened {
    const { name } = room
    if (this.#rooms.some(({ record }) => record.name === name)) throw new Error(`The room ${name} is open already.`)
    const opened = this.facts.whileOpening(name, () => room.open(needs))
    for (const kind of Object.keys(opened.contributes ?? {})) {
      this.#registries[kind]?.add(name, opened.contributes?.[kind] ?? [])
    }
    this.#rooms.push({ life: opened, record: this.#recordOf(name, needs, opened) })
    for (const part of Object.values(opened)) {
      if (isPart(part) && !this.#providers.has(part)) this.#providers.set(part, name)
    }
    return opened
  }

  /** Seals the registries, then resumes the rooms in the order of opening. The first error passes through. */
  resume(): void {
    for (const registry of Object.values<{ seal(): void }>(this.#registries)) registry.seal()
    for (const { life } of this.#rooms) life.resume?.()
  }

  /** Starts the rooms in the order of opening. A room that fails is reported and marked; the other rooms still start. */
  async start(): Promise<void> {
    for (const room of this.#rooms) {
      try {
        await room.life.start?.()
        room.record.state = 'started'
      } catch (error) {
        fail(room.record, error)
        this.#options.report(error, `${room.record.name} did not start`)
      }
    }
  }

  /** Aborts when `drain` begins: no room takes new work from then on. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  /** Aborts `stopping`, and asks all rooms to take no more work. @returns resolves when the running work of all rooms has ended */
  async drain(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(
      this.#rooms.toReversed().map(async ({ life, record }) => {
        try {
          await life.drain?.()
        } catch (error) {
          this.#options.report(error, `${record.name} did not drain`)
        }
      }),
    )
  }

  /** Stops the rooms in reverse order. A room that fails or exceeds `stopMs` is reported, and the next one is stopped. */
  stop(): Promise<void> {
    return this.#end('stop', 'stopped')
  }

  /** Closes the rooms in reverse order, after `stop`. A room that fails or exceeds `stopMs` is reported, and the next one is closed. */
  close(): Promise<void> {
    return this.#end('close', 'closed')
  }

  /** The open rooms in the order of opening, with their needs, facts, contributions and states. */
  rooms(): readonly RoomRecord[] {
    return this.#rooms.map(({ record }) => ({ ...record }))
  }

  async #end(phase: 'stop' | 'close', state: 'stopped' | 'closed'): Promise<void> {
    for (const { life, record } of this.#rooms.toReversed()) {
      try {
        await this.#withinLimit(`${record.name} still runs its ${phase}`, life[phase]?.())
        record.state = state
      } catch (error) {
        fail(record, error)
        this.#options.report(error, `${record.name} did not ${phase}`)
      }
    }
  }

  async #withinLimit(what: string, ended: void | Promise<void>): Promise<void> {
    if (ended === undefined) return
    const { stopMs, after = afterTimeout } = this.#options
    let cancel: (() => void) | undefined
    const late = new Promise<never>((_, reject) => {
      cancel = after(stopMs, () => reject(new Error(`${what} after ${stopMs} ms.`)))
    })
    try {
      await Promise.race([ended, late])
    } finally {
      cancel?.()
    }
  }

  #recordOf(name: string, needs: unknown, { contributes = {} }: Life<Kinds>): RoomRecord {
    const given = Object.entries(Object(needs)).map(([need, part]) => ({ need, from: this.#providers.get(part) }))
    const named = Object.entries(contributes).map(([kind, items]) => [
      kind,
      (items ?? []).map((item: Kinds[string]) => this.#options.kinds[kind]?.(item)),
    ])
    return {
      name,
      given,
      contributes: Object.fromEntries(named),
      ...this.facts.usesOf(name),
      state: 'open',
    } as RoomRecord
  }
}

function fail(record: RoomRecord, error: unknown): void {
  record.state = 'failed'
  record.problem = error instanceof Error ? error.message : String(error)
}

const isPart = (value: unknown) => (typeof value === 'object' && value !== null) || typeof value === 'function'

function afterTimeout(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  timer.unref()
  return () => clearTimeout(timer)
}
