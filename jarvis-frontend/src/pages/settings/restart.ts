import { ApiError } from '../../api/http.ts'
import { restartJarvis, status } from '../../api/status.ts'
import { say } from '../../app/announce.tsx'
import { live } from '../../app/live.ts'
import { Value } from '../../lib/value.ts'

/** How the restart goes that was asked for here; `from`: beside which words. Undefined: none is under way. */
type Course = { from: string } & ({ step: 'begun' | 'late' } | { step: 'refused'; problem: string })

export const course = new Value<Course | undefined>(undefined)
/** Restarts seen to their end from this page. */
export const restarts = new Value(0)

const lateAfterMs = 30_000
let leave = () => {}

/** Restarts JARVIS and watches until it is back: the link was lost, lives again, and the status has come over it. */
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
