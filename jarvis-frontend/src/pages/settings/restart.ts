import { ApiError } from 'protocol/client'
import { restartJarvis, status } from '../../api/status.ts'
import { say } from '../../app/announce.tsx'
import { live } from '../../app/live.ts'
import { Value } from '../../lib/value.ts'

/** The state of the restart that was requested on this page. `from`: the place of the pressed button. Undefined: no restart is in progress. */
type Course = { from: string } & ({ step: 'begun' | 'late' } | { step: 'refused'; problem: string })

export const course = new Value<Course | undefined>(undefined)
/** The number of restarts that completed while this page was open. */
export const restarts = new Value(0)

const lateAfterMs = 30_000
let leave = () => {}

/** Restarts JARVIS and waits until it is back: the connection was lost, is live again, and the status was received. */
export async function restart(from: string): Promise<void> {
  leave()
  course.set({ from, step: 'begun' })
  const { value: link } = live.link
  let wasLost = false
  const late = setTimeout(() => course.set({ from, step: 'late' }), lateAfterMs)
  const leaveLink = link.subscribe(() => {
    wasLost ||= link.get().status !== 'live'
  })
  const leaveStatus = status.value.subscribe(() => {
    if (!wasLost || link.get().status !== 'live') return
    leave()
    course.set(undefined)
    restarts.set(restarts.get() + 1)
    say('JARVIS has restarted')
  })
  leave = () => {
    clearTimeout(late)
    leaveLink()
    leaveStatus()
  }
  try {
    await restartJarvis()
    say('JARVIS restarts')
  } catch (error) {
    leave()
    const problem = error instanceof ApiError ? error.message : 'The answer could not be read.'
    course.set({ from, step: 'refused', problem })
  }
}
