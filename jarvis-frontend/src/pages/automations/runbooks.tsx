import { signedIn } from '../../api/auth.ts'
import { listRunbooks } from '../../api/runbooks.ts'
import { useLoad } from '../../api/use-load.ts'
import { Problem, Resting, Skeletons, useIsLive } from '../../app/load-state.tsx'
import { PageHead } from '../../app/page-head.tsx'
import { TierCounts } from '../../app/tier-counts.tsx'
import { when } from '../../features/alerts/words.ts'
import { plural } from '../../lib/format.ts'
import { navigate } from '../../lib/location.tsx'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { useNow } from '../../ui/use-now.ts'
import { useCounts } from './counts.ts'
import './page.css'

/** Every runbook with its steps by tier, the alerts that offer it, and the outcome of its last run. */
export function RunbooksPage() {
  const { data, problem, again } = useLoad('runbooks', listRunbooks, ['connect', 'runbooks'])
  const counts = useCounts('runbooks', data?.items.length)
  const isOperator = useValue(signedIn)?.role === 'operator'
  const isLive = useIsLive()
  const now = useNow(60_000)
  return (
    <>
      <PageHead counts={counts}>
        <span className="flex-1" />
      </PageHead>
      <div className="page scroll windows">
        <Problem error={problem} onAgain={again} kept={data !== undefined} />
        {data === undefined && problem === undefined && <Skeletons rows={8} height={52} />}
        {data?.items.length === 0 && <p className="job-none">There is no runbook yet.</p>}
        {data !== undefined && data.items.length > 0 && (
          <ul className="fact-list runbook-list">
            {data.items.map((runbook) => (
              <li key={runbook.name}>
                <Mark
                  kind={runbook.faults.length > 0 ? 'bad' : 'ok'}
                  size={11}
                  label={runbook.faults.length > 0 ? 'has faults:' : 'can run:'}
                />
                <span>
                  <Link to={`/automations/runbooks/${encodeURIComponent(runbook.name)}`}>
                    <Visible text={runbook.title} />
                  </Link>
                  <small>
                    <TierCounts steps={runbook.steps} />
                  </small>
                </span>
                <span className="text-soft">
                  <Visible text={runbook.about} />
                  <small>
                    {runbook.faults.length > 0 && `${plural(runbook.faults.length, 'fault')}: it cannot run. `}
                    {runbook.alerts.length > 0 && <Visible text={`Offered by ${runbook.alerts.join(', ')}.`} />}{' '}
                    {runbook.isShipped ? 'Came with JARVIS.' : ''}
                  </small>
                </span>
                <small className="num">
                  {runbook.lastRun === undefined
                    ? 'never run'
                    : `${when(runbook.lastRun.at, now)}, ${runbook.lastRun.state}`}
                </small>
              </li>
            ))}
          </ul>
        )}
        {isOperator && isLive ? (
          <form
            className="job-form"
            aria-label="New runbook"
            onSubmit={(event) => {
              event.preventDefault()
              const name = String(new FormData(event.currentTarget).get('name') ?? '').trim()
              navigate(`/automations/runbooks/${encodeURIComponent(name)}?new=1`)
            }}
          >
            <label>
              New runbook: its file’s name
              <input
                className="field mono"
                name="name"
                required
                maxLength={100}
                pattern="[a-z0-9][a-z0-9\-]*"
                title="Small letters, digits and hyphens"
                placeholder="hot-node"
                spellCheck={false}
              />
            </label>
            <p className="job-acts">
              <button type="submit" className="button">
                Write it
              </button>
            </p>
          </form>
        ) : (
          <Resting isOperator={isOperator} isLive={isLive} />
        )}
      </div>
    </>
  )
}
