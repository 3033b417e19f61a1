import { ApiError } from '../../api/http.ts'
import { restartJarvis, status } from '../../api/status.ts'
import { say } from '../../app/announce.tsx'
import { live } from '../../app/live.ts'
import { Value } from '../../lib/value.ts'

/** The state of the restart that was asked for here. `from`: the words beside which its button stands. Undefined: no restart is under way. */
type Course = { from: string } & ({ step: 'begun' | 'late' } | { step: 'refused'; problem: string })

export const course = new Value<Course | undefined>(undefined)
/** The number of restarts that this page saw to their end. */
export const restarts = new Value(0)

const lateAfterMs = 30_000
let leave = () => {}

/** Restarts JARVIS and watches until it is back: until the link was lost, is live again, and has brought the status. */
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
