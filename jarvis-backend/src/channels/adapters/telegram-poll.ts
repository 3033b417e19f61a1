import { type Clock, sleep as sleepBy } from '../../lib/clock.ts'
import type { Heard } from '../channel.ts'
import { refusalOf, type TelegramApi } from './telegram-api.ts'
import type { Update } from './telegram-incoming.ts'
import { openForMs, partMs, whole } from './telegram-parts.ts'
import { takeUpdate } from './telegram-update.ts'

/** How long Telegram holds a poll open, seconds; a link that died is noticed a little later. */
const pollS = 25
/** An earlier poll lives on for its time after a crash, and this one is refused meanwhile. */
const afterConflictMs = 35_000
/** Two refused polls within this time are no crash: two programs that wait as this one does take turns. */
const conflictsForMs = 2 * 60_000
const afterWebhookMs = 60_000
const firstPauseMs = 1_000
const longestPauseMs = 60_000

/** Longest wait for the rest of what was cut into parts, ms, however many come. */
const mostOpenMs = 10_000

const conflict = 'Another program asks for this bot’s messages. Stop it, or make another token.'

/** Tells a poll that outlived a crash from another program that polls the same bot. */
function createConflicts(clock: Clock) {
  let refusedAt = Number.NEGATIVE_INFINITY
  let isContested = false
  const isRecent = () => clock.now() - refusedAt < conflictsForMs
  return {
    /** A poll was refused for another one. @returns whether another program polls */
    refused(): boolean {
      isContested ||= isRecent()
      refusedAt = clock.now()
      return isContested
    },
    /** A poll was answered, which may be this program's turn alone. @returns whether another program polls */
    answered(): boolean {
      isContested &&= isRecent()
      return isContested
    },
  }
}

/**
 * Polls for updates until the signal aborts, one poll after another. An update is forgotten by Telegram once it was handed on.
 * @param cursor the number of the first update to ask for
 */
export async function pollUpdates(
  parts: {
    api: TelegramApi
    clock: Clock
    /** Told of what stands between us and Telegram; undefined: all is well again. */
    problem(why: string | undefined): void
    /** Called before the first poll, and after each one that was refused. */
    learnBot(signal: AbortSignal): Promise<void>
  },
  heard: Heard,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { api, clock, problem } = parts
  const conflicts = createConflicts(clock)
  const sleep = (ms: number) => sleepBy(clock, ms, signal)
  let offset = cursor === undefined ? undefined : Number(cursor)
  let pauseMs = firstPauseMs
  async function backOff(ms = pauseMs) {
    await sleep(ms)
    pauseMs = Math.min(2 * pauseMs, longestPauseMs)
  }

  /** @returns false where it was refused */
  async function poll(): Promise<boolean> {
    const params = {
      timeout: pollS,
      limit: 50,
      allowed_updates: ['message', 'edited_message', 'callback_query', 'stopped_message_generation', 'my_chat_member'],
      ...(offset !== undefined && { offset }),
    }
    const reply = await api.call('getUpdates', params, signal, { patienceMs: (pollS + 10) * 1_000 })
    if (reply.status === 409) {
      // A webhook is told of at once; otherwise one poll of the last process may still be open.
      if ((await api.webhook(signal)) !== undefined) return false
      if (conflicts.refused()) problem(conflict)
      await sleep(afterConflictMs)
      return false
    }
    const refusal = refusalOf(reply)
    if (refusal !== undefined) {
      problem(refusal.why)
      await backOff(refusal.kind === 'again' ? refusal.retryAfterMs : undefined)
      return false
    }
    if (!conflicts.answered()) problem(undefined)
    pauseMs = firstPauseMs
    const aheadMs = reply.at === undefined ? 0 : clock.now() - reply.at
    let updates = reply.result as Update[]
    let untilMs = openForMs(updates)
    for (let waitedMs = 0; waitedMs < Math.min(untilMs, mostOpenMs); waitedMs += partMs) {
      await sleep(partMs)
      const more = await api.call('getUpdates', { ...params, timeout: 0 }, signal)
      if (more.ok !== true) break
      const before = updates.length
      updates = more.result as Update[]
      // Each part may have another one behind it.
      if (updates.length > before) untilMs = waitedMs + partMs + openForMs(updates)
    }
    for (const update of whole(updates)) {
      await takeUpdate(api, update, aheadMs, heard, signal)
      offset = update.update_id + 1
    }
    return true
  }

  while (!signal.aborted) {
    try {
      await parts.learnBot(signal)
      const stolen = await api.webhook(signal)
      if (stolen !== undefined) {
        problem(stolen)
        await sleep(afterWebhookMs)
        continue
      }
      while (await poll());
    } catch (error) {
      if (signal.aborted) return
      problem(error instanceof Error ? error.message : 'it could not be reached')
      await backOff().catch(() => {})
    }
  }
}
