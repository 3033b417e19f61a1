import { useMemo, useRef } from 'react'
import { readAlert, readChecks } from '../../api/alert-acts.ts'
import { alerts as remote, useAlerts } from '../../api/alerts.ts'
import { useLoad } from '../../api/use-load.ts'
import { Problem, Skeletons, useIsLive } from '../../app/load-state.tsx'
import { PageHead } from '../../app/page-head.tsx'
import { useNarrowing } from '../../app/use-narrowing.ts'
import { moveFocus, usePageKeys } from '../../app/use-page-keys.ts'
import { AlertList } from '../../features/alerts/list.tsx'
import { checksWords, clockOf, type Group, groupOf, groups, groupWord, linesOf } from '../../features/alerts/words.ts'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { phone, useMedia } from '../../ui/use-media.ts'
import { useNow } from '../../ui/use-now.ts'
import { Checks } from './checks.tsx'
import { AlertDetailPane } from './detail.tsx'
import { History } from './history.tsx'
import { EndedSilences } from './silences.tsx'
import './page.css'

const narrowings = ['check', 'object', 'node'] as const

/** The present alerts in groups, each with its evidence, the ended alerts, and the checks. */
export function AlertsPage() {
  const reply = useAlerts()
  const [params, set] = useNarrowing()
  const isPhone = useMedia(phone)
  const isLive = useIsLive()
  const now = useNow(1_000) + (reply?.aheadMs ?? 0)
  const scroller = useRef<HTMLDivElement>(null)
  const checks = useLoad('checks', readChecks, ['connect', 'alerts']).data?.items
  const show = params.get('show') ?? undefined
  const only = groups.find((known) => known === show)
  const items = reply?.items
  const lines = useMemo(() => linesOf(items ?? [], only), [items, only])
  const counts = Object.fromEntries(
    groups.map((group) => [
      group,
      items?.filter((alert) => alert.hiddenBy === undefined && groupOf(alert) === group).length,
    ]),
  )
  const first = lines.find((line) => line.kind === 'alert')?.alert.id
  const isWhole = show === 'checks'
  const chosen = params.get('alert') ?? (isPhone || isWhole || show === 'history' ? undefined : first)
  const linkTo: LinkTo = (changes) => {
    const next = new URLSearchParams(params)
    for (const [key, value] of Object.entries(changes)) value === undefined ? next.delete(key) : next.set(key, value)
    return `/alerts${next.size === 0 ? '' : `?${next}`}`
  }
  usePageKeys({ j: () => moveFocus('[data-row]', 1), k: () => moveFocus('[data-row]', -1) })
  const tabs = <Tabs show={show} counts={counts} linkTo={linkTo} />
  const checked = reply && checksWords(reply.checks, reply.checkedAt)
  const isNone = items?.length === 0 && (show === undefined || only !== undefined)
  const list =
    reply === undefined ? (
      <NotRead isLive={isLive} />
    ) : (
      <>
        {isNone || (only !== undefined && lines.length === 0) ? (
          <p className="alert-none">
            {isNone ? 'Nothing fires.' : `Nothing is ${only}.`} <span className="text-dim">{checked}.</span>
          </p>
        ) : (
          <AlertList
            lines={lines}
            chosen={chosen}
            now={now}
            isLive={isLive}
            scroller={scroller}
            linkTo={(id) => linkTo({ alert: id })}
            titleOf={(check) => checks?.find(({ id }) => id === check)?.title}
          />
        )}
        {(show === undefined || only === 'silenced') && <EndedSilences items={reply.silences} now={now} />}
        {only === undefined && (
          <History
            key={narrowings.map((key) => params.get(key)).join(' ')}
            filter={Object.fromEntries(
              narrowings.flatMap((key) => (params.get(key) === null ? [] : [[key, params.get(key) ?? '']])),
            )}
            ended={reply.ended}
            isAlone={show === 'history'}
            checks={checks}
            set={set}
            chosen={chosen}
            now={now}
            isLive={isLive}
            scroller={scroller}
            linkTo={(id) => linkTo({ alert: id })}
          />
        )}
      </>
    )
  const phoneWords =
    reply && `${fires(counts)}, checked ${reply.checkedAt === null ? 'never' : clockOf(reply.checkedAt)}`
  return (
    <>
      <PageHead phoneDetail={phoneWords} tabs={isPhone && chosen !== undefined ? undefined : tabs}>
        <span className="flex-1" />
        {checked !== undefined && <span className="cut text-dim">{checked}</span>}
      </PageHead>
      {isWhole ? (
        <div className="page scroll">
          <Checks />
        </div>
      ) : isPhone && chosen !== undefined ? (
        <>
          <Link to={linkTo({ alert: undefined })} className="back">
            <Icon name="right" /> Alerts
          </Link>
          <Opened key={chosen} id={chosen} now={now} />
        </>
      ) : (
        <div className="alerts-split">
          <div ref={scroller} className="scroll alerts-side">
            {list}
          </div>
          {chosen !== undefined && <Opened key={chosen} id={chosen} now={now} />}
        </div>
      )}
    </>
  )
}

type LinkTo = (changes: Record<string, string | undefined>) => string
type Counts = Partial<Record<Group, number | undefined>>

/** The groups of alerts, the history and the checks, one of which is shown. */
function Tabs({ show, counts, linkTo }: { show: string | undefined; counts: Counts; linkTo: LinkTo }) {
  const tab = (value: string | undefined, word: string, count?: number) => (
    <Link
      key={word}
      to={linkTo({ show: value, alert: undefined })}
      replace
      aria-current={show === value ? 'true' : undefined}
    >
      {word} {count !== undefined && <span className="num">{count}</span>}
    </Link>
  )
  return (
    <nav className="filters" aria-label="Alerts shown">
      {tab(undefined, 'All')}
      {groups.map((group) => tab(group, groupWord[group], counts[group]))}
      {tab('history', groupWord.history)}
      {tab('checks', 'Checks')}
    </nav>
  )
}

const NotRead = ({ isLive }: { isLive: boolean }) =>
  isLive ? <Skeletons rows={8} height={38} /> : <p className="alert-none">Nothing is known without a connection.</p>

const fires = (counts: Counts) =>
  `${counts.firing ?? 0} ${counts.firing === 1 ? 'fires' : 'fire'}, ${counts.pending ?? 0} pending`

function Opened({ id, now }: { id: string; now: number }) {
  const { data, problem, again } = useLoad(`alert ${id}`, () => readAlert(id), ['connect', 'alerts'])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
    <section className="scroll alert-detail" aria-label="The alert" tabIndex={0}>
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      {data === undefined ? (
        problem === undefined && <Skeletons rows={6} height={40} />
      ) : (
        <AlertDetailPane
          alert={data}
          now={now}
          onChanged={() => {
            again()
            remote.renew()
          }}
        />
      )}
    </section>
  )
}
