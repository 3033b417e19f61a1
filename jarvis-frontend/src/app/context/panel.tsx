import type { Checkpoint, ContextPart, ContextReport } from 'protocol'
import { useCallback, useEffect, useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { foldNow, readCheckpoints, readContext } from '../../api/context.ts'
import { dollars, plural, shortModel, thousands, timeOfDay } from '../../lib/format.ts'
import { navigate } from '../../lib/location.tsx'
import { useValue } from '../../lib/use-value.ts'
import { Icon } from '../../ui/icon.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { visibleText } from '../../ui/visible.ts'
import { live } from '../live.ts'
import { useIsLive } from '../load-state.tsx'
import { BranchFrom } from './branch-from.tsx'
import './context.css'

const titles: Record<ContextPart['part'], string> = {
  system: 'System, rules and cluster',
  tools: 'Tools',
  skills: 'Skills, catalogue',
  memory: 'Memory and prompt files',
  folded: 'Folded turns',
  transcript: 'Transcript',
  results: 'Tool results',
  reserved: 'Kept for the answer',
  free: 'Free',
}

/** Shows how much of the model's context window a session uses, its cost, and the checkpoints to go back to. */
export function ContextPanel({ sessionId, onClose }: { sessionId: string; onClose: () => void }) {
  const [report, setReport] = useState<ContextReport>()
  const [points, setPoints] = useState<readonly Checkpoint[]>([])
  const [problem, setProblem] = useState<string>()
  const isLive = useIsLive()
  const store = live.chat.open(sessionId)
  const { view } = useValue(store.calm)
  // Changes when a run ends, a card appears, or turns are folded, so that the panel is read again.
  const version = `${view?.entries.length} ${view?.runId} ${view?.pending.length}`
  const look = useCallback(async () => {
    try {
      const [context, checkpoints] = await Promise.all([readContext(sessionId), readCheckpoints(sessionId)])
      setReport(context)
      setPoints(checkpoints.items)
      setProblem(undefined)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'It could not be read.')
    }
  }, [sessionId])
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again after each entry
  useEffect(() => {
    void look()
  }, [look, version])
  return (
    <section className="context-panel" aria-label="Context and cost">
      <PanelHead title="Context">
        {report !== undefined && (
          <span title={report.model}>
            {shortModel(report.model)}, {thousands(report.windowTokens)}
          </span>
        )}
        <button type="button" className="icon-button" aria-label="Close the context" title="Back" onClick={onClose}>
          <Icon name="close" />
        </button>
      </PanelHead>
      {problem !== undefined && (
        <p className="context-note" role="alert">
          {problem}
        </p>
      )}
      {report !== undefined && (
        <>
          <Window report={report} />
          <Fold sessionId={sessionId} fold={report.fold} isLive={isLive} />
          <Spent report={report} />
        </>
      )}
      {points.length > 0 && <Points sessionId={sessionId} points={points} />}
    </section>
  )
}

/** Colour strength of a part, by its position in the list. */
const inkOf = (at: number) => ({ '--share': `${Math.max(30, 92 - 9 * at)}%` }) as React.CSSProperties

function Window({ report }: { report: ContextReport }) {
  const { usedTokens, windowTokens, countedTokens, parts, turnsAt } = report
  const shown = parts.filter(({ part, tokens }) => part !== 'free' && (tokens > 0 || part === 'skills'))
  const share = (tokens: number) => `${(100 * tokens) / windowTokens}%`
  const isHatched = (part: string) => (part === 'reserved' ? ' hatched' : '')
  return (
    <div className="context-window">
      <p className="context-sum">
        <b className="num">{thousands(usedTokens)}</b> of {thousands(windowTokens)},{' '}
        {Math.round((100 * usedTokens) / windowTokens)} %<span>folds at {Math.round(100 * turnsAt)} %</span>
      </p>
      <div className="context-bar" role="img" aria-label="What fills the window; the list says it in words">
        {shown.map(({ part, tokens }, at) => (
          <i key={part} className={`ink${isHatched(part)}`} style={{ ...inkOf(at), width: share(tokens) }} />
        ))}
      </div>
      <ul className="context-parts">
        {shown.map(({ part, tokens, count, largest, items }, at) => (
          <li key={part}>
            <i className={`ink${isHatched(part)}`} style={inkOf(at)} />
            <span>
              {titles[part]}
              {count > 1 && `, ${count}`}
              {largest !== undefined && count > 1 && (
                <small>
                  largest: {visibleText(largest.name)}, {thousands(largest.tokens)}
                </small>
              )}
              {items !== undefined && items.length > 1 && (
                <small>{items.map(({ name, tokens: of }) => `${visibleText(name)} ${thousands(of)}`).join(', ')}</small>
              )}
              {part === 'skills' && count === 0 && <small>none</small>}
            </span>
            <span className="num">{thousands(tokens)}</span>
          </li>
        ))}
      </ul>
      <p className="context-note">
        {countedTokens === 0
          ? 'Estimated: the provider has counted nothing yet.'
          : `The provider counted ${thousands(countedTokens)}; the rest is estimated.`}
      </p>
    </div>
  )
}

function Fold({ sessionId, fold, isLive }: { sessionId: string; fold: ContextReport['fold']; isLive: boolean }) {
  const [said, setSaid] = useState<string>()
  const mayAsk = useValue(signedIn)?.mayAsk === true
  const because = !mayAsk ? 'Your role may only look.' : !isLive ? 'No connection.' : fold.because
  return (
    <div className="context-acts">
      <button
        type="button"
        className="button small"
        disabled={because !== undefined}
        onClick={() => {
          setSaid(undefined)
          foldNow(sessionId).catch((error: Error) => setSaid(error.message))
        }}
      >
        Fold older turns now
      </button>
      <span className="context-note" role="status">
        {said ?? because ?? `${plural(fold.entries, 'entry', 'entries')}. They stay readable.`}
      </span>
    </div>
  )
}

function Spent({ report: { spent } }: { report: ContextReport }) {
  const { usage, costUsd, isUsagePartial, folds, foldingUsd } = spent
  const read = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
  const price = (usd: number | undefined) => (usd === undefined ? 'price not known' : dollars(usd))
  const rows = [
    ['Spent', `${isUsagePartial ? 'at least ' : ''}${price(costUsd)}`],
    [
      'Tokens',
      `${thousands(read)} in, ${thousands(usage.outputTokens)} out, ${thousands(usage.cacheReadTokens)} cached`,
    ],
    [
      'Folding',
      folds === 0
        ? 'never'
        : `${foldingUsd === undefined ? '' : `${dollars(foldingUsd)}, `}${folds === 1 ? 'once' : `${folds} times`}`,
    ],
  ] as const
  return (
    <>
      <PanelHead title="This session" />
      <dl className="context-facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="num">{value}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

const pointsShown = 20

function Points({ sessionId, points }: { sessionId: string; points: readonly Checkpoint[] }) {
  const [chosen, setChosen] = useState<number>()
  return (
    <>
      <PanelHead title="Go back to">{plural(points.length, 'point')}</PanelHead>
      <ul className="context-points">
        {points.slice(0, pointsShown).map(({ seq, text, at, changes, files }) => (
          <li key={seq}>
            <span className="context-point">
              <span className="cut">
                <span className="num">{timeOfDay(at)}</span> “{visibleText(text)}”
              </span>
              <small>
                since then: {plural(changes, 'change')}, {plural(files, 'file')}
              </small>
            </span>
            <button
              type="button"
              className="button small"
              aria-expanded={chosen === seq}
              onClick={() => setChosen(chosen === seq ? undefined : seq)}
            >
              Branch…
            </button>
            {chosen === seq && <BranchFrom sessionId={sessionId} seq={seq} onEnd={() => setChosen(undefined)} />}
          </li>
        ))}
        {points.length > pointsShown && (
          <li>
            <button type="button" className="text-link" onClick={() => navigate(`/chat/${sessionId}?at=0`)}>
              Earlier ones stand at their messages
            </button>
          </li>
        )}
      </ul>
    </>
  )
}
