import { useGrants } from '../../api/grants.ts'
import { useSessions } from '../../api/sessions.ts'
import { useStatus } from '../../api/status.ts'
import { useWaiting } from '../../api/waiting.ts'
import { FormProblem } from '../../features/settings/form-problem.tsx'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { course, restart } from './restart.ts'
import { useRights } from './section.tsx'

/** Says that saved settings are not in use yet, and offers the restart that puts them in use. */
export function SavedRow({ name, text }: { name: string; text: string }) {
  return (
    <li>
      <Mark kind="none" size={11} />
      <span>
        {name}
        <small>saved</small>
      </span>
      <span className="text-soft">
        <Visible text={text} />
        <small>
          It counts from the next start of JARVIS. <Meanwhile />
        </small>
      </span>
      <RestartNow from={name} />
      <RestartCourse from={name} />
    </li>
  )
}

/** The restart button. `from`: identifies this place, because several restart buttons may be on the page. */
export function RestartNow({ from }: { from: string }) {
  const { isOperator, isResting } = useRights()
  const isBusy = useValue(course)?.step === 'begun'
  if (!isOperator) return null
  return (
    <button
      type="button"
      className="button small"
      aria-disabled={isBusy || isResting}
      onClick={() => {
        if (!isBusy && !isResting) void restart(from)
      }}
    >
      {isBusy ? 'Restarting' : 'Restart now'}
    </button>
  )
}

/** Says why a restart failed or is late. */
export function RestartCourse({ from }: { from: string }) {
  const now = useValue(course)
  if (now?.from !== from || now.step === 'begun') return null
  return (
    <FormProblem
      text={
        now.step === 'refused'
          ? now.problem
          : 'JARVIS has not come back for 30 s. See what it said last where it was started (its terminal, docker compose logs, journalctl), put that right and start it there. This page connects again by itself.'
      }
    />
  )
}

/** The effect of a restart on runs, cards and grants. Draws nothing if there are none. */
function Meanwhile() {
  const status = useStatus()
  const waiting = useWaiting().count
  const granted = useGrants()?.length ?? 0
  const isWorking = useSessions()?.some(({ isRunning }) => isRunning) ?? false
  if (!isWorking && waiting === 0 && granted === 0) return null
  return status?.nextStart?.isAnotherCluster === true
    ? 'What runs, waits or is granted was asked of the cluster in use, and ends with it.'
    : 'What runs, waits or is granted goes on after it.'
}
