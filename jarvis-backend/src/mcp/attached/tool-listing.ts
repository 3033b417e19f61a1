import type { Clock } from '../../lib/clock.ts'
import type { ListTools } from './client.ts'
import type { Listed } from './definition.ts'
import { reasonOf } from './ending.ts'

/** Minimum time between two readings of the tools if the server says that they have changed, ms. */
const refreshEveryMs = 5_000

/** The list of an attached server's tools: read when it connects, and again after the server says that its tools have changed. */
export class ToolListing {
  readonly #clock: Clock
  readonly #listed: (tools: readonly Listed[]) => void
  readonly #timeoutMs: number
  /** Reads the tools over the open connection; undefined: no connection is open. */
  #listTools: ListTools | undefined
  #isStale = false
  #readAt = Number.NEGATIVE_INFINITY
  #refreshing: Promise<void> | undefined
  #cancelRefresh: () => void = () => {}

  /** `timeoutMs`: time limit of one reading. `listed` is called after each reading. */
  constructor(parts: { clock: Clock; timeoutMs: number; listed(tools: readonly Listed[]): void }) {
    this.#clock = parts.clock
    this.#listed = (tools) => parts.listed(tools)
    this.#timeoutMs = parts.timeoutMs
  }

  /** Reads the tools of a server during connecting. */
  async read(listTools: ListTools): Promise<void> {
    this.#isStale = false
    this.#readAt = this.#clock.now()
    this.#listed(await listTools(this.#timeoutMs))
  }

  /** Sets the connection for later refreshes. */
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

  /** Called when the connection is closed: the tools are not refreshed until the next connection. */
  end(): void {
    this.#listTools = undefined
    this.#cancelRefresh()
  }
}
