import type { CommandRow, CommandsReply } from 'protocol'
import { useCallback, useEffect, useState } from 'react'
import { call } from '../../../api/http.ts'

/** The state of a command. `now`: the server's time and this page's time at the server's answer, Unix ms. `problem`: why the state is unknown. */
export type Live = {
  row: CommandRow | undefined
  now: { server: number; here: number }
  problem: string | undefined
  renew(): void
}

const everyMs = 1_500
/** Within this time, ms, all rows of a session share one request. */
const freshMs = 500
const asked = new Map<string, { at: number; reply: Promise<CommandsReply> }>()
/** True if an event may concern commands. `connect`: the connection is back, and anything may have changed. */
const isNews = (event: Event) => ['commands', 'connect'].includes((event as CustomEvent<string>).detail)
let isListening = false

/** Drops answers that are older than a change. Called before any row listens, so that after a change all rows share one request. */
function forgetAtNews(): void {
  if (isListening) return
  isListening = true
  addEventListener('jarvis:changed', (event) => {
    if (isNews(event)) asked.clear()
  })
}

function commandsOf(sessionId: string): Promise<CommandsReply> {
  const known = asked.get(sessionId)
  if (known !== undefined && Date.now() - known.at < freshMs) return known.reply
  const reply = call('GET /api/sessions/:id/commands', { params: { id: sessionId } })
  asked.clear()
  asked.set(sessionId, { at: Date.now(), reply })
  return reply
}

const staleMs = everyMs * 4

/**
 * True if the last answer is too old or a later request failed, so that the shown state may no longer be current. @param at this page's time, Unix
 * ms
 */
export const isStale = ({ now, problem }: Pick<Live, 'now' | 'problem'>, at: number): boolean =>
  problem !== undefined || at - now.here > staleMs

/** Finds a command by its id or by the call that began it. */
export const foundIn = (
  items: readonly CommandRow[],
  { id, toolUseId }: { id: string | undefined; toolUseId: string },
): CommandRow | undefined => items.find((row) => (id === undefined ? row.toolUseId === toolUseId : row.id === id))

/**
 * Reads the state of a command. While the command runs, reads again every 1.5 s and when the server reports a change. @param of undefined: nothing
 * is read
 */
export function useCommand(sessionId: string, of: { id: string | undefined; toolUseId: string } | undefined): Live {
  const [state, setState] = useState<Omit<Live, 'renew'>>({
    row: undefined,
    now: { server: 0, here: 0 },
    problem: undefined,
  })
  const [round, setRound] = useState(0)
  const renew = useCallback(() => setRound((now) => now + 1), [])
  const { id, toolUseId } = of ?? { id: undefined, toolUseId: undefined }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round asks at once
  useEffect(() => {
    if (toolUseId === undefined) return
    let isHere = true
    let timer: ReturnType<typeof setTimeout> | undefined
    const later = (ms: number) => {
      clearTimeout(timer)
      timer = setTimeout(look, ms)
    }
    const look = () =>
      commandsOf(sessionId).then(
        ({ items, now }) => {
          if (!isHere) return
          const row = foundIn(items, { id, toolUseId })
          // A foreground command starts a moment after its call, so a missing command is not a problem then.
          const problem = row === undefined && id !== undefined ? 'It is not kept any more.' : undefined
          setState({ row, now: { server: now, here: Date.now() }, problem })
          if (problem === undefined && row?.status !== 'ended') later(everyMs)
          else stop()
        },
        (error: Error) => {
          if (!isHere) return
          setState((before) => ({ ...before, problem: error.message }))
          later(everyMs * 4)
        },
      )
    const hear = (event: Event) => {
      if (isNews(event)) void look()
    }
    const stop = () => {
      isHere = false
      clearTimeout(timer)
      removeEventListener('jarvis:changed', hear)
    }
    forgetAtNews()
    addEventListener('jarvis:changed', hear)
    void look()
    return stop
  }, [sessionId, id, toolUseId, round])
  return { ...state, renew }
}
