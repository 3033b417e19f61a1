import type { CheckRow } from 'protocol'
import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { readChecks, runChecks, switchCheck } from '../../api/alert-acts.ts'
import { signedIn } from '../../api/auth.ts'
import { useLoad } from '../../api/use-load.ts'
import { say } from '../../app/announce.tsx'
import { Problem, Resting, Skeletons, useIsLive } from '../../app/load-state.tsx'
import { checkStateWord, when } from '../../features/alerts/words.ts'
import { plural, span } from '../../lib/format.ts'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark, type MarkKind } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'

const marks: Record<CheckRow['state'], MarkKind> = {
  ok: 'ok',
  alerts: 'warn',
  off: 'none',
  cannot_run: 'unknown',
  unknown: 'unknown',
}

/** Every check with its data source, limit, state and switch. */
export function Checks() {
  const { data, problem, again } = useLoad('checks', readChecks, ['connect', 'alerts'])
  const isOperator = useValue(signedIn)?.role === 'operator'
  const isLive = useIsLive()
  const [refused, setRefused] = useState<ApiError>()
  const [isLooking, setLooking] = useState(false)
  const act = async (work: Promise<unknown>, done: string) => {
    try {
      await work
      setRefused(undefined)
      say(done)
    } catch (error) {
      if (error instanceof ApiError) setRefused(error)
    }
    again()
  }
  const look = async () => {
    setLooking(true)
    await act(runChecks(), 'All checks have looked.')
    setLooking(false)
  }
  const mayAct = isOperator && isLive
  return (
    <section className="checks" aria-label="Checks">
      <PanelHead title="Checks">
        {mayAct && (
          <button type="button" className="button small" disabled={isLooking} onClick={() => void look()}>
            {isLooking ? 'Looking' : 'Look now'}
          </button>
        )}
      </PanelHead>
      <Resting isOperator={isOperator} isLive={isLive} />
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      <Problem error={refused} />
      {data?.problems.map((line) => (
        <p key={line} className="strip page-problem" role="note">
          <Mark kind="bad" size={12} />
          <span>
            checks.yaml is not in force as it stands: <Visible text={line} />
          </span>
        </p>
      ))}
      {data === undefined && problem === undefined && <Skeletons rows={10} height={44} />}
      <ul className="fact-list">
        {data?.items.map((check) => (
          <li key={check.id}>
            <Mark kind={marks[check.state]} size={11} label={checkStateWord[check.state]} />
            <span>
              <Visible text={check.title} />
              <small>
                {check.state === 'alerts' ? plural(check.firing, 'alert') : checkStateWord[check.state]}
                {check.isOwn && ', from checks.yaml'}
              </small>
            </span>
            <span className="text-soft">
              <Visible text={check.problem ?? check.limit} />
              <small>
                <span className="mono">
                  <Visible text={check.reads} />
                </span>
                , every {span(check.everyMs)}
                {check.lastAt !== undefined && `, last ${when(check.lastAt, Date.now())}`}
              </small>
            </span>
            {mayAct && (
              <button
                type="button"
                className="button small faint"
                aria-label={`Switch ${check.title} ${check.state === 'off' ? 'on' : 'off'}`}
                onClick={() => void act(switchCheck(check.id, check.state !== 'off'), `${check.title} is switched.`)}
              >
                {check.state === 'off' ? 'Switch on' : 'Switch off'}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
