import { Visible } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import type { Issue } from './health.ts'
import { useIssuePast } from './issue-past.ts'
import { StateMark } from './state-mark.tsx'

/** If a check has more issues than this, they share one line. */
const mostAlike = 2

/** The issues with a heading. Renders nothing if there are none. */
export function IssueList({
  issues,
  onAsk,
}: {
  issues: readonly Issue[]
  onAsk?: ((question: string) => void) | undefined
}) {
  const pastOf = useIssuePast(issues)
  if (issues.length === 0) return null
  const isFirst = (issue: Issue) => issues.find(({ check }) => check === issue.check) === issue
  const many = (issue: Issue) =>
    issue.check !== undefined && issues.filter(({ check }) => check === issue.check).length > mostAlike
  const shown = issues.filter((issue) => !many(issue) || isFirst(issue))
  const alikeOf = (issue: Issue) => (many(issue) ? issues.filter(({ check }) => check === issue.check).length - 1 : 0)
  return (
    <>
      <PanelHead title="Needs attention">
        <span className="num">{issues.length}</span>
      </PanelHead>
      <ul className="issues">
        {shown.map((issue) => (
          <li key={issue.key}>
            <StateMark kind={issue.isUnknown ? 'unknown' : issue.tone} size={12} />
            {issue.check === undefined ? (
              <span>{issue.fact}</span>
            ) : (
              <Link to={`/alerts?alert=${issue.key}`}>
                <Visible text={issue.fact} />
              </Link>
            )}
            {onAsk !== undefined && (
              <button type="button" className="button small faint" onClick={() => onAsk(issue.question)}>
                Ask why
              </button>
            )}
            <small>
              <Visible text={detailOf(issue, pastOf(issue))} />
              {alikeOf(issue) > 0 && (
                <>
                  {'; '}
                  <Link to="/alerts">{alikeOf(issue)} more like it</Link>
                </>
              )}
            </small>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Returns an issue's detail with the text about its past. For a storage that text is added; for other values it replaces the limit. */
function detailOf({ detail, past: about }: Issue, past: string | undefined): string {
  if (past === undefined) return detail
  return about === undefined || about.field === 'usedRatio' ? `${detail}, ${past}` : past
}
