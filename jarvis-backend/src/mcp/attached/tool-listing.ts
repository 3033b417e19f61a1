import type { Clock } from '../../lib/clock.ts'
import type { ListTools } from './client.ts'
import type { Listed } from './definition.ts'
import { reasonOf } from './ending.ts'

/** Least time between two listings after the server said that its tools have changed, ms. */
const refreshEveryMs = 5_000

/** The list of an attached server's tools: read when it connects, and again after the server says that its tools have changed. */
export class ToolListing {
  readonly #clock: Clock
  readonly #listed: (tools: readonly Listed[]) => void
  readonly #timeoutMs: number
  /** Absent: no connection is open. */
  #listTools: ListTools | undefined
  #isStale = false
  #readAt = Number.NEGATIVE_INFINITY
  #refreshing: Promise<void> | undefined
  #cancelRefresh: () => void = () => {}

  /** `timeoutMs`: longest time of one listing. `listed` is called after each listing. */
  constructor(parts: { clock: Clock; timeoutMs: number; listed(tools: readonly Listed[]): void }) {
    this.#clock = parts.clock
    this.#listed = (tools) => parts.listed(tools)
    this.#timeoutMs = parts.timeoutMs
  }

  /** Reads the tools of a server that is being connected. */
  async read(listTools: ListTools): Promise<void> {
    this.#isStale = false
    this.#readAt = this.#clock.now()
    this.#listed(await listTools(this.#timeoutMs))
  }

  /** Refreshes over this connection from now on. */
  use(listTools: ListTools): void {
    this.#listTools = listTools
  }

  /** Marks the tools as changed: `refresh` reads them before the next call. */
  tellStale(): void {
    this.#isStale = true
    this.#cancelRefresh()
    const inMs = Math.max(0, this.#readAt + refreshEveryMs - this.#clock.now())
    this.#cancelRefresh = this.#clock.after(inMs, () => {
      this.refresh().catch(() => {})
    })
  }

  /** Reads the tools again if they have changed and a connection is open. @throws Error if they cannot be read */
  refresh(): Promise<void> {
    const listTools = this.#listTools
    if (listTools === undefined || (!this.#isStale && this.#refreshing === undefined)) return Promise.resolve()
    this.#cancelRefresh()
    this.#refreshing ??= this.read(listTools)
      .catch((error: unknown) => {
        this.#isStale = true
        throw new Error(`Its list of tools could not be read again: ${reasonOf(error as Error)}`)
      })
      .finally(() => {
        this.#refreshing = undefined
      })
    return this.#refreshing
  }

  /** The connection is closed: nothing is refreshed until the next one. */
  end(): void {
    this.#listTools = undefined
    this.#cancelRefresh()
  }
}
