import type { ConfirmationRow } from 'protocol'
import { shareOf } from 'protocol/facts'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { signedIn } from '../../api/auth.ts'
import { confirmations, useConfirmations } from '../../api/confirmations.ts'
import { useGrants } from '../../api/grants.ts'
import { questions } from '../../api/questions.ts'
import { useStatus } from '../../api/status.ts'
import { type Ask, isQuestion, useWaiting } from '../../api/waiting.ts'
import { ChangeLine } from '../../app/changes/change-line.tsx'
import { DenyAll } from '../../app/deny-all.tsx'
import { live } from '../../app/live.ts'
import { LiveCard, matterOf, matterOfRow } from '../../app/live-card.tsx'
import { PageHead } from '../../app/page-head.tsx'
import { WaitingLine } from '../../app/tray.tsx'
import { useTitleOf } from '../../app/waiting.tsx'
import { runsOf } from '../../features/chat/runs.ts'
import { ToolRow } from '../../features/chat/tool-row.tsx'
import { known, lineOf, usePast } from '../../features/cluster/past.ts'
import { useCluster } from '../../features/cluster/store.ts'
import { actOf } from '../../features/confirmations/sentence.ts'
import { Sentence } from '../../features/confirmations/sentence-line.tsx'
import { percent, plural, rate, share, timeOfDay } from '../../lib/format.ts'
import { navigate, useSearchParams } from '../../lib/location.tsx'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Spark } from '../../ui/spark.tsx'
import { phone, useMedia } from '../../ui/use-media.ts'
import { ArmedList } from './armed-list.tsx'
import { DenialList } from './denial-list.tsx'
import { GrantList } from './grant-list.tsx'
import { QuestionDetail } from './question-detail.tsx'
import './page.css'

/** Everything that waits in all sessions, and the decisions of today. */
export function WaitingPage() {
  const lists = useConfirmations()
  const isPhone = useMedia(phone)
  const isOperator = useValue(signedIn)?.role === 'operator'
  const titleOf = useTitleOf()
  const [params] = useSearchParams()
  const pending = lists?.pending ?? []
  const { asks, changes: armed, count } = useWaiting()
  const decided = lists?.decided ?? []
  const granted = useGrants()?.length ?? 0
  const asked = [...pending, ...decided].find((row) => row.toolUseId === params.get('card'))
  /** The item that is shown if the address names none. */
  const first = isPhone || asked !== undefined ? undefined : asks[0]
  // A question that was answered here stays on screen until the person chooses another item.
  const lastAsked = useRef<string>(undefined)
  const firstQuestion = first !== undefined && isQuestion(first) ? first.questionId : undefined
  const questionId =
    params.get('question') ?? firstQuestion ?? (isPhone || first !== undefined ? undefined : lastAsked.current)
  lastAsked.current = questionId
  const question = useQuestion(questionId)
  const isOfQuestion = question !== undefined && asked === undefined && !params.has('change')
  const isFirstChange = !isPhone && first === undefined && !isOfQuestion && !params.has('question')
  const change = params.get('change') ?? (isFirstChange ? armed[0]?.id : undefined)
  const isOfChange = change !== undefined && asked === undefined
  const isOfCard = !isPhone && !isOfChange && !isOfQuestion && first !== undefined && !isQuestion(first)
  const chosen = asked ?? (isOfCard ? first : undefined)
  // A card that was decided here stays on screen until the person chooses another item.
  const kept = useRef<ConfirmationRow>(undefined)
  if (asked !== undefined) kept.current = asked
  const shown = params.get('card') === null ? chosen : (asked ?? kept.current)

  const isShown = (ask: Ask) =>
    isQuestion(ask)
      ? isOfQuestion && ask.questionId === question.questionId
      : !isOfQuestion && !isOfChange && ask.toolUseId === shown?.toolUseId

  useMoves((by) => {
    const at = asks.findIndex(isShown)
    const next = asks[Math.min(asks.length - 1, Math.max(0, at + by))]
    if (next !== undefined) navigate(pathOf(next), { replace: true })
  })
  useOutcomes(decided)

  const list = (
    <div className="inbox scroll">
      {lists !== undefined && count === 0 && <p className="inbox-empty">Nothing waits for you.</p>}
      <DenyAll rows={pending} />
      <ul>
        {asks.map((ask) => (
          <li key={pathOf(ask)}>
            <Link to={pathOf(ask)} replace={!isPhone} aria-current={isShown(ask) ? 'true' : undefined}>
              <WaitingLine ask={ask} titleOf={titleOf} />
            </Link>
          </li>
        ))}
      </ul>
      <ArmedList items={armed} chosen={isOfChange ? change : undefined} />
      <GrantList chosen={params.get('grant') ?? undefined} />
      <DenialList decided={decided} />
      <Decided rows={decided} shown={shown?.toolUseId} isPhone={isPhone} />
    </div>
  )
  const detail = (
    <div className="inbox-detail scroll">
      {isOfChange && <ChangeLine key={change} id={change} />}
      {isOfQuestion && <QuestionDetail key={question.questionId} row={question} titleOf={titleOf} />}
      {!isOfChange && !isOfQuestion && shown !== undefined && (
        <Detail key={shown.toolUseId} row={shown} titleOf={titleOf} />
      )}
    </div>
  )
  return (
    <>
      <PageHead title="Waiting for you" phoneDetail={count === 0 ? 'Nothing waits' : plural(count, 'thing')}>
        <span className="flex-1" />
        {asks.length > 0 && <Keys isOperator={isOperator} />}
      </PageHead>
      <JournalLoss />
      {lists !== undefined && count + decided.length + granted === 0 && !isOfChange && !isOfQuestion ? (
        <Empty title="Nothing waits for you.">
          <p className="text-dim">Calls that need a person stand here, whoever asked for them.</p>
        </Empty>
      ) : isPhone ? (
        shown === undefined && !isOfChange && !isOfQuestion ? (
          list
        ) : (
          <>
            <Link to="/waiting" className="back">
              <Icon name="right" /> All that waits
            </Link>
            {detail}
          </>
        )
      ) : (
        <div className="two-panes">
          {list}
          {detail}
        </div>
      )}
    </>
  )
}

/** Calls `move` when J or K is pressed outside a field. */
function useMoves(move: (by: number) => void) {
  const current = useRef(move)
  current.current = move
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isField = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement
      if (isField || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === 'j' || event.key === 'J') current.current(1)
      if (event.key === 'k' || event.key === 'K') current.current(-1)
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}

/** Reads the list again while an approved call is under way. */
function useOutcomes(decided: readonly ConfirmationRow[]) {
  const isUnderWay = decided.some((row) => row.decision === 'approved' && row.outcome === undefined)
  useEffect(() => {
    if (!isUnderWay) return
    // The call of the card may have ended after the list was read.
    confirmations.renew()
    const listen = (event: Event) => {
      if ((event as CustomEvent<string>).detail === 'sessions') confirmations.renew()
    }
    addEventListener('jarvis:changed', listen)
    return () => removeEventListener('jarvis:changed', listen)
  }, [isUnderWay])
}

/** The decisions of today. @param shown the card that the page shows */
function Decided({
  rows,
  shown,
  isPhone,
}: {
  rows: readonly ConfirmationRow[]
  shown: string | undefined
  isPhone: boolean
}) {
  return (
    <>
      {rows.length > 0 && <h2>Decided today</h2>}
      <ul>
        {rows.map((row) => (
          <li key={row.toolUseId}>
            <Link to={pathOf(row)} replace={!isPhone} aria-current={row.toolUseId === shown ? 'true' : undefined}>
              <Mark kind={endOf(row).mark} size={11} />
              <span>
                <Sentence pieces={endOf(row).pieces} />
              </span>
              <time>{row.decidedAt === undefined ? '' : timeOfDay(row.decidedAt)}</time>
              <small>
                {row.decision}
                {row.decidedBy !== undefined && (row.decision === 'approved' || row.decision === 'denied') && (
                  <>
                    {' by '}
                    <Visible text={row.decidedBy} />
                  </>
                )}
                {row.decision === 'approved' ? endOf(row).words : ', nothing was run'}
              </small>
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}

const Keys = ({ isOperator }: { isOperator: boolean }) => (
  <span className="keys" aria-hidden="true">
    <span>
      <kbd>J</kbd> <kbd>K</kbd> move
    </span>
    {isOperator && (
      <>
        <span>
          <kbd>A</kbd> then <kbd>↵</kbd> approve
        </span>
        <span>
          <kbd>D</kbd> deny
        </span>
      </>
    )}
  </span>
)

/** Says when the journal lost entries or the table lost cards. */
function JournalLoss() {
  const journal = useStatus()?.parts?.find(({ name }) => name === 'Journal')
  if (journal?.effect === undefined) return null
  return (
    <div className="strip page-problem" role="note">
      <Mark kind={journal.health === 'bad' ? 'bad' : 'warn'} size={12} />
      <span>
        <Visible text={journal.text} /> <span className="text-soft">{journal.effect}</span>
      </span>
    </div>
  )
}

/** Finds a question by its id, also after its end. */
function useQuestion(questionId: string | undefined) {
  const all = useValue(questions.value)
  return all?.find((row) => row.questionId === questionId)
}

/** Returns the outcome of a decided call in words, as far as the list knows it. */
function endOf(row: ConfirmationRow) {
  const { doing, did, didNot, failed, interrupted } = actOf(row)
  if (row.decision !== 'approved') return { mark: 'none', pieces: didNot, words: '' } as const
  if (row.outcome === 'done') return { mark: 'ok', pieces: did, words: ', done' } as const
  if (row.outcome === 'failed') return { mark: 'bad', pieces: failed, words: ', failed' } as const
  if (row.outcome === 'unknown') return { mark: 'unknown', pieces: interrupted, words: ', outcome unknown' } as const
  return { mark: 'step', pieces: doing, words: ', runs' } as const
}

/** Returns the path at which this page shows a card or a question. */
const pathOf = (ask: Ask) =>
  isQuestion(ask)
    ? `/waiting?question=${encodeURIComponent(ask.questionId)}`
    : `/waiting?card=${encodeURIComponent(ask.toolUseId)}`

function Detail({ row, titleOf }: { row: ConfirmationRow; titleOf: (sessionId: string) => string | undefined }) {
  const store = useMemo(() => live.chat.open(row.sessionId), [row.sessionId])
  const { view } = useValue(store.state)
  const calls = useMemo(
    () =>
      runsOf(view?.entries ?? []).flatMap((run) =>
        run.items.flatMap((item) => (item.kind === 'call' ? [item.call] : [])),
      ),
    [view?.entries],
  )
  const at = calls.findIndex((call) => call.toolUseId === (row.callId ?? row.toolUseId))
  const call = calls[at]
  const isNewest = call?.needed?.toolUseId === row.toolUseId
  const matter =
    (isNewest ? matterOf(call, row.sessionId, view?.progress[call.toolUseId]) : undefined) ?? matterOfRow(row)
  const before = calls.slice(Math.max(0, at - 4), Math.max(0, at)).filter((other) => other.started !== undefined)
  const title = titleOf(row.sessionId)
  return (
    <>
      <LiveCard matter={matter} />
      {title !== undefined && (
        <p className="from">
          Asked in <Link to={`/chat/${row.sessionId}#card-${row.toolUseId}`}>{title}</Link>
        </p>
      )}
      <Target row={row} />
      {before.length > 0 && (
        <section>
          <h2>
            {row.requestedBy.kind === 'mcp' ? 'Before this, the same client' : 'Before this, in the same session'}
          </h2>
          {before.map((other) => (
            <ToolRow key={other.toolUseId} call={other} progress={undefined} />
          ))}
        </section>
      )}
    </>
  )
}

/** Charts of the target's last hour. */
function Target({ row }: { row: ConfirmationRow }) {
  const series = `guest/${row.target.vmid}`
  const { reply } = usePast([series], '1h')
  const guest = useCluster().state?.guests.find(({ vmid }) => vmid === row.target.vmid)
  if (guest === undefined) return null
  const nets = lineOf(reply, series, 'netBps')
  const most = Math.max(1, ...known(nets))
  const ram = shareOf(guest.ramBytes, guest.ramTotalBytes)
  const net = rate((guest.netInBps ?? 0) + (guest.netOutBps ?? 0))
  return (
    <section>
      <h2>
        <Link to={`/guest/${guest.vmid}`}>
          <span className="num">{guest.vmid}</span> <Visible text={guest.name} />
        </Link>
        , last hour
      </h2>
      <dl className="target">
        <div>
          <dt>CPU</dt>
          <dd>{guest.status === 'running' ? share(guest.cpuRatio) : '–'}</dd>
          <Spark values={lineOf(reply, series, 'cpuRatio')?.values ?? []} height={30} />
        </div>
        <div>
          <dt>Memory</dt>
          <dd>{guest.status === 'running' && ram !== undefined ? percent(ram) : '–'}</dd>
          <Spark values={lineOf(reply, series, 'ramRatio')?.values ?? []} height={30} />
        </div>
        <div>
          <dt>Net</dt>
          <dd>{guest.netInBps === undefined ? '–' : `${net.value} ${net.unit}bit/s`}</dd>
          <Spark values={nets?.values.map((bps) => (bps === undefined ? undefined : bps / most)) ?? []} height={30} />
        </div>
      </dl>
    </section>
  )
}
