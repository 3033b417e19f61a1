import { sleep } from 'node-kit/clock'
import type { Clock } from '../../lib/clock.ts'
import type { Heard } from '../channel.ts'
import { refusalOf, type TelegramApi, type TelegramReply } from './telegram-api.ts'
import type { Update } from './telegram-incoming.ts'
import { openForMs, partMs, whole } from './telegram-parts.ts'
import { takeUpdate } from './telegram-update.ts'

/** Time for which Telegram holds a poll open, seconds. A dead connection is noticed a little later. */
const pollS = 25
/** Wait after a refused poll. After a crash, the poll of the last process stays open for a while, and this process is refused until it ends. */
const afterConflictMs = 35_000
/**
 * If two polls are refused within this time, the reason is not a crash but another program: two programs that wait in this way are refused in turn.
 */
const conflictsForMs = 2 * 60_000
const afterWebhookMs = 60_000
const firstPauseMs = 1_000
const longestPauseMs = 60_000

/** Longest wait for the remaining parts of a message, ms, however many arrive. */
const mostOpenMs = 10_000

const conflict = 'Another program asks for this bot’s messages. Stop it, or make another token.'

/** Distinguishes a poll that outlived a crash from another program that polls for the same bot. */
class Conflicts {
  readonly #clock: Clock
  #refusedAt = Number.NEGATIVE_INFINITY
  #isContested = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Called when a poll was refused because of another poll. @returns true if another program polls */
  refused(): boolean {
    this.#isContested ||= this.#isRecent()
    this.#refusedAt = this.#clock.now()
    return this.#isContested
  }

  /** Called when a poll was answered. One answer does not prove that the other program has stopped. @returns true if another program polls */
  answered(): boolean {
    this.#isContested &&= this.#isRecent()
    return this.#isContested
  }

  #isRecent(): boolean {
    return this.#clock.now() - this.#refusedAt < conflictsForMs
  }
}

export type TelegramPollParts = {
  api: TelegramApi
  clock: Clock
  /** Receives the reason why Telegram cannot be reached; undefined: all is well again. */
  problem(why: string | undefined): void
  /** Called before the first poll, and after each poll that was refused. */
  learnBot(): Promise<void>
  heard: Heard
  /** The number of the first update to ask for. */
  cursor: string | undefined
  signal: AbortSignal
}

/** Polls for updates, one poll after another. Telegram deletes an update only after it was handled. */
export class TelegramPoll {
  readonly #parts: TelegramPollParts
  readonly #conflicts: Conflicts
  /** The number of the next update to ask for. */
  #offset: number | undefined
  #pauseMs = firstPauseMs

  constructor(parts: TelegramPollParts) {
    this.#parts = parts
    this.#conflicts = new Conflicts(parts.clock)
    this.#offset = parts.cursor === undefined ? undefined : Number(parts.cursor)
  }

  /** Polls until the signal aborts, and then resolves. */
  async follow(): Promise<void> {
    const { api, problem, learnBot, signal } = this.#parts
    while (!signal.aborted) {
      try {
        await learnBot()
        const stolen = await api.webhook(signal)
        if (stolen !== undefined) {
          problem(stolen)
          await this.#sleep(afterWebhookMs)
          continue
        }
        while (await this.#poll());
      } catch (error) {
        if (signal.aborted) return
        problem(error instanceof Error ? error.message : 'it could not be reached')
        await this.#backOff().catch(() => {})
      }
    }
  }

  /** Makes one poll and handles its updates. @returns false if the poll was refused */
  async #poll(): Promise<boolean> {
    const { api, clock, problem, heard, signal } = this.#parts
    const reply = await this.#ask(pollS)
    if (await this.#isRefused(reply)) return false
    if (!this.#conflicts.answered()) problem(undefined)
    this.#pauseMs = firstPauseMs
    const aheadMs = reply.at === undefined ? 0 : clock.now() - reply.at
    for (const update of whole(await this.#withRest(reply.result as Update[]))) {
      await takeUpdate(api, update, { aheadMs, heard, signal })
      this.#offset = update.update_id + 1
    }
    return true
  }

  #ask(timeout: number): Promise<TelegramReply> {
    const { api, signal } = this.#parts
    const params = {
      timeout,
      limit: 50,
      allowed_updates: ['message', 'edited_message', 'callback_query', 'stopped_message_generation', 'my_chat_member'],
      offset: this.#offset,
    }
    return api.call('getUpdates', params, { signal, ...(timeout > 0 && { patienceMs: (timeout + 10) * 1_000 }) })
  }

  /** Waits after a refused poll. @returns false if the poll was answered */
  async #isRefused(reply: TelegramReply): Promise<boolean> {
    const { api, problem, signal } = this.#parts
    if (reply.status === 409) {
      // If a webhook is set, it is reported at once. Otherwise a poll of the last process may still be open.
      if ((await api.webhook(signal)) !== undefined) return true
      if (this.#conflicts.refused()) problem(conflict)
      await this.#sleep(afterConflictMs)
      return true
    }
    const refusal = refusalOf(reply)
    if (refusal === undefined) return false
    problem(refusal.why)
    await this.#backOff(refusal.kind === 'again' ? refusal.retryAfterMs : undefined)
    return true
  }

  /** Waits for the remaining parts of a message that was cut. */
  async #withRest(first: Update[]): Promise<Update[]> {
    let updates = first
    let untilMs = openForMs(updates)
    for (let waitedMs = 0; waitedMs < Math.min(untilMs, mostOpenMs); waitedMs += partMs) {
      await this.#sleep(partMs)
      const more = await this.#ask(0)
      if (more.ok !== true) break
      const before = updates.length
      updates = more.result as Update[]
      // Another part may follow each part.
      if (updates.length > before) untilMs = waitedMs + partMs + openForMs(updates)
    }
    return updates
  }

  async #backOff(ms = this.#pauseMs): Promise<void> {
    await this.#sleep(ms)
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs)
  }

  #sleep(ms: number): Promise<void> {
    return sleep(this.#parts.clock, ms, this.#parts.signal)
  }
}
