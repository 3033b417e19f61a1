import type { CommandRow } from 'protocol'
import { useEffect } from 'react'
import { call } from '../../../api/http.ts'
import { useLoad } from '../../../api/use-load.ts'

/** The state of a command. `now`: the server's time and this page's time at the server's answer, Unix ms. `problem`: why the state is unknown. */
export type Live = {
  row: CommandRow | undefined
  now: { server: number; here: number }
  problem: string | undefined
  renew(): void
}

const everyMs = 1_500
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
  const read = async () => {
    const reply = await call('GET /api/sessions/:id/commands', { params: { id: sessionId } })
    return { ...reply, here: Date.now() }
  }
  const { data, problem, again } = useLoad(`commands of ${sessionId}`, of && read, ['connect', 'commands'])
  const row = of && data && foundIn(data.items, of)
  // A foreground command starts a moment after its call, so a missing command is not a problem then.
  const isGone = data !== undefined && row === undefined && of?.id !== undefined
  const isWatched = of !== undefined && !isGone && row?.status !== 'ended'
  const hasFailed = problem !== undefined
  useEffect(() => {
    if (!isWatched) return
    const timer = setInterval(again, hasFailed ? everyMs * 4 : everyMs)
    return () => clearInterval(timer)
  }, [isWatched, hasFailed, again])
  return {
    row,
    now: { server: data?.now ?? 0, here: data?.here ?? 0 },
    problem: problem?.message ?? (isGone ? 'It is not kept any more.' : undefined),
    renew: again,
  }
}
