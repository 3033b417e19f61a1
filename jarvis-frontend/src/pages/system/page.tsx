import type { LogLine } from 'protocol'
import type { ApiError } from 'protocol/client'
import { useEffect, useRef, useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { problemOf } from '../../api/remote.ts'
import { exportLogs, readLogs } from '../../api/settings.ts'
import { status as statusRemote, useStatus } from '../../api/status.ts'
import { useLoad } from '../../api/use-load.ts'
import { live } from '../../app/live.ts'
import { Problem, Resting, Skeletons } from '../../app/load-state.tsx'
import { PageHead } from '../../app/page-head.tsx'
import { SearchField } from '../../app/search-field.tsx'
import { Doctor } from '../../features/system/doctor.tsx'
import { ago, capital, longSpan } from '../../lib/format.ts'
import { useSearchParams } from '../../lib/location.tsx'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Mark } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { useNow } from '../../ui/use-now.ts'
import { visibleText } from '../../ui/visible.ts'
import './page.css'

const lookEveryMs = 10_000

/** The state of each part with its last good answer and the features that fail without it; the doctor; the log. */
export function SystemPage() {
  const status = useStatus()
  const link = useValue(live.link.value)
  const now = useNow(1_000)
  const isLive = link.status === 'live'
  const isOwner = useValue(signedIn)?.rank === 'owner'
  useEffect(() => {
    statusRemote.renew()
    const timer = setInterval(() => statusRemote.renew(), lookEveryMs)
    return () => clearInterval(timer)
  }, [])
  const words = { ok: 'well', warn: 'look', bad: 'failed', unknown: 'not known' } as const
  return (
    <>
      <PageHead detail={status && `JARVIS ${status.version}`}>
        <span className="flex-1" />
      </PageHead>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too */}
      <div className="page system" tabIndex={0}>
        <div className="scroll system-parts">
          <PanelHead title="Parts">{isLive ? 'live' : `seen ${ago(link.since, now)}`}</PanelHead>
          {status === undefined ? (
            isLive ? (
              <Skeletons rows={8} height={40} />
            ) : (
              <p className="memory-away">JARVIS is not reached; it is tried again by itself.</p>
            )
          ) : (
            <ul className="fact-list">
              <li>
                <Mark kind={isLive ? 'ok' : 'unknown'} size={11} label={isLive ? 'well:' : 'not known:'} />
                <span>Server</span>
                <span className="text-soft">
                  {isLive ? `up ${longSpan(status.uptimeS * 1_000)}` : `not reached for ${longSpan(now - link.since)}`}
                  <small>
                    version {status.version}
                    {status.hasTerminal && ', terminal on'}
                  </small>
                </span>
              </li>
              {(status.parts ?? []).map(({ name, health, text, effect, at }) => (
                <li key={name}>
                  <Mark
                    kind={isLive ? health : 'unknown'}
                    size={11}
                    label={`${isLive ? words[health] : words.unknown}:`}
                  />
                  <span>
                    {name}
                    {at !== undefined && <small>{ago(at, now)}</small>}
                  </span>
                  <span className="text-soft">
                    <Visible text={text} />
                    {effect !== undefined && (
                      <small className="effect">
                        <Visible text={effect} />
                      </small>
                    )}
                  </span>
                </li>
              ))}
            </ul>
          )}
          {isOwner && <Doctor isResting={!isLive} />}
        </div>
        <div className="system-log">
          <PanelHead title="Log" />
          {isOwner ? <Log /> : <Resting who="owner" isOperator={false} isLive={isLive} />}
        </div>
      </div>
    </>
  )
}

const levels = ['error', 'warn', 'info', 'debug'] as const
const levelMark = { error: 'bad', warn: 'warn', info: 'step', debug: 'none' } as const

function Log() {
  const [params, setParams] = useSearchParams()
  const level = levels.find((known) => known === params.get('level')) ?? 'info'
  const q = params.get('q') ?? ''
  const query = { level, ...(q !== '' && { q }) }
  const { data, problem, again } = useLoad(`logs ${level} ${q}`, () => readLogs(query), ['connect', 'settings'])
  const shows = (next: { level: string; q: string }) =>
    setParams({ ...(next.level !== 'info' && { level: next.level }), ...(next.q !== '' && { q: next.q }) })
  useEffect(() => {
    const timer = setInterval(again, lookEveryMs)
    return () => clearInterval(timer)
  }, [again])
  const [refused, setRefused] = useState<ApiError>()
  const end = useRef<HTMLOListElement>(null)
  const last = data?.items.at(-1)?.id
  const isAtEnd = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line is what may need following
  useEffect(() => {
    if (end.current !== null && isAtEnd.current) end.current.scrollTop = end.current.scrollHeight
  }, [last])
  return (
    <>
      <fieldset className="filters">
        <legend className="vh">From this level on</legend>
        {levels.map((name) => (
          <button key={name} type="button" aria-pressed={name === level} onClick={() => shows({ level: name, q })}>
            <Mark kind={levelMark[name]} size={9} />
            {capital(name)}
          </button>
        ))}
      </fieldset>
      <div className="log-find">
        <SearchField
          className="log-search"
          label="Search the log"
          placeholder="Search the log"
          maxLength={200}
          query={q}
          onSearch={(text) => shows({ level, q: text })}
        />
        <button
          type="button"
          className="button"
          onClick={() =>
            void exportLogs(query).then(
              () => setRefused(undefined),
              (error: unknown) => setRefused(problemOf(error)),
            )
          }
        >
          Export
        </button>
      </div>
      <Problem error={refused} isRefusal />
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      {data === undefined ? (
        problem === undefined && <Skeletons rows={8} height={18} />
      ) : data.items.length === 0 ? (
        <p className="memory-away">{q === '' ? 'No such lines since the start.' : 'No line has that text.'}</p>
      ) : (
        <ol
          ref={end}
          className="log scroll"
          aria-label="Log, newest last"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too
          tabIndex={0}
          onScroll={({ currentTarget: list }) => {
            isAtEnd.current = list.scrollHeight - list.scrollTop - list.clientHeight < 40
          }}
        >
          {data.items.map((line) => (
            <Line key={line.id} line={line} />
          ))}
        </ol>
      )}
    </>
  )
}

const two = (value: number) => String(value).padStart(2, '0')
function clockOf(at: number): string {
  const date = new Date(at)
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

function Line({ line: { at, level, message, detail } }: { line: LogLine }) {
  const known = levels.find((name) => name === level) ?? 'info'
  return (
    <li>
      <time>{clockOf(at)}</time>
      <span className="log-level">
        <Mark kind={levelMark[known]} size={9} /> {level}
      </span>
      <span>
        <Visible text={message} />
        {detail !== undefined && (
          <details>
            <summary>Details</summary>
            <pre>{detail.split('\n').map(visibleText).join('\n')}</pre>
          </details>
        )}
      </span>
    </li>
  )
}
