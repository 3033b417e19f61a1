import type { DoctorCheck, DoctorReply } from 'protocol'
import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { call } from '../../api/http.ts'
import { exactTime } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { Turning } from '../../ui/tier.tsx'

const words = { ok: 'well:', warn: 'look:', bad: 'failed:' } as const

/** Runs all checks of the doctor once and shows what to do. */
export function Doctor({ isResting }: { isResting: boolean }) {
  const [isRunning, setRunning] = useState(false)
  const [found, setFound] = useState<DoctorReply>()
  const [problem, setProblem] = useState<string>()
  const run = async () => {
    setRunning(true)
    try {
      setFound(await call('GET /api/doctor'))
      setProblem(undefined)
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : 'The answer could not be read.')
    }
    setRunning(false)
  }
  const isIdle = isResting || isRunning
  return (
    <section aria-label="Doctor">
      <PanelHead title="Doctor">
        {isRunning && <Turning />}
        <button
          type="button"
          className="button small"
          aria-disabled={isIdle}
          onClick={() => {
            if (!isIdle) void run()
          }}
        >
          Run the doctor
        </button>
      </PanelHead>
      {problem !== undefined && (
        <p className="memory-away" role="alert">
          <Mark kind="bad" size={11} /> {problem}
        </p>
      )}
      <p className="memory-away" role="status">
        {isRunning
          ? 'Looks at the configuration, the cluster, the token, the model and the disk…'
          : found === undefined
            ? 'Checks everything and says what to do.'
            : `${found.ok ? 'Nothing is broken' : 'Something is broken'}, as of ${exactTime(found.at)}.`}
      </p>
      {found !== undefined && <Checks checks={found.checks} />}
    </section>
  )
}

/** The checks of the doctor: object, result, and what to do. */
export function Checks({ checks }: { checks: readonly DoctorCheck[] }) {
  return (
    <ul className="fact-list" aria-label="What the doctor found">
      {checks.map(({ area, health, text, fix }) => (
        <li key={`${area} ${text}`}>
          <Mark kind={health} size={11} label={words[health]} />
          <span>{area}</span>
          <span className="text-soft">
            <Visible text={text} />
            {fix !== undefined && (
              <small className="effect">
                <Visible text={fix} />
              </small>
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}
