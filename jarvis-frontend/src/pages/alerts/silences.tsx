import type { AlertsReply } from 'protocol'
import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { unsilence } from '../../api/alert-acts.ts'
import { alerts } from '../../api/alerts.ts'
import { signedIn } from '../../api/auth.ts'
import { say } from '../../app/announce.tsx'
import { Problem } from '../../app/load-state.tsx'
import { when } from '../../features/alerts/words.ts'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'

/** Silences of ended alerts. They stay in force: nobody is told if the same alert fires again. */
export function EndedSilences({ items, now }: { items: AlertsReply['silences']; now: number }) {
  const isOperator = useValue(signedIn)?.role === 'operator'
  const [problem, setProblem] = useState<ApiError>()
  const ended = items.filter(({ hasEnded }) => hasEnded)
  if (ended.length === 0) return null
  const end = async (id: string) => {
    try {
      await unsilence(id)
      setProblem(undefined)
      say('The next alert is heard again.')
      alerts.renew()
    } catch (error) {
      if (error instanceof ApiError) setProblem(error)
    }
  }
  return (
    <section aria-label="Silences of what has ended">
      <h2>Silent when it comes again</h2>
      <Problem error={problem} isRefusal />
      <ul className="fact-list">
        {ended.map(({ alert, sentence, by, note, until }) => (
          <li key={alert}>
            <span>
              <Visible text={sentence} />
              <small>
                <Visible
                  text={`${until === undefined ? 'without an end' : `until ${when(until, now)}`} · ${by}: “${note}”`}
                />
              </small>
            </span>
            {isOperator && (
              <button type="button" className="button small quiet" onClick={() => void end(alert)}>
                End the silence
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
