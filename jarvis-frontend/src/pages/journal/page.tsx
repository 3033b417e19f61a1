import type { JournalEntry } from 'protocol'
import { ApiError } from 'protocol/client'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { exportJournal, type JournalFilter, readJournal, verifyJournal } from '../../api/journal.ts'
import { useLoad } from '../../api/use-load.ts'
import { usePaged } from '../../api/use-paged.ts'
import { say } from '../../app/announce.tsx'
import { ChangeLine } from '../../app/changes/change-line.tsx'
import { useNarrowing } from '../../app/use-narrowing.ts'
import { receiptIn } from '../../features/journal/check-receipt.ts'
import { kinds } from '../../features/journal/line.ts'
import { type Broken, JournalList } from '../../features/journal/list.tsx'
import { timeOfDay } from '../../lib/format.ts'
import { grouped } from '../../lib/grouped.ts'
import { useValue } from '../../lib/use-value.ts'
import { Boxed } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { KeyMark } from '../../ui/key-mark.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Tier } from '../../ui/tier.tsx'
import { phone, useMedia } from '../../ui/use-media.ts'
import './page.css'
import { Problem, Skeletons, useIsLive } from '../../app/load-state.tsx'
import { PageHead } from '../../app/page-head.tsx'
import { Empty } from '../../ui/empty.tsx'

const narrowings = [
  ...(['words', 'from', 'to', 'kind', 'toolName', 'actor', 'sessionId'] as const),
  ...(['toolUseId', 'tier', 'outcome', 'signed'] as const),
]

const Signature = lazy(() =>
  import('../../features/journal/signature.tsx').then((part) => ({ default: part.Signature })),
)
const idOf = ({ seq }: JournalEntry) => seq
const watched = ['connect', 'sessions', 'confirmations', 'grants', 'settings', 'memory', 'changes']

/** The journal: every call, decision and change as one hash chain. The chain shows where somebody changed an entry. */
export function JournalPage() {
  const [params, set, clear] = useNarrowing()
  const isPhone = useMedia(phone)
  const filter: JournalFilter = {}
  for (const key of narrowings) {
    const value = params.get(key)
    if (value !== null && value !== '') filter[key] = value
  }
  const key = JSON.stringify(filter)
  const isFiltered = Object.keys(filter).length > 0
  const [broken, setBroken] = useState<Broken>()
  const head = useLoad('journal head', () => readJournal({}, undefined, 1), watched)
  return (
    <>
      <PageHead>
        <Filters filter={filter} set={set} />
        <span className="flex-1" />
      </PageHead>
      <div className="page scroll journal">
        {isPhone && <Filters filter={filter} set={set} />}
        <Chain head={head.data?.items[0]} onBroken={setBroken} />
        <details className="narrow-more" open={!isPhone || undefined}>
          <summary>Narrow it down</summary>
          <Narrow key={fields.map((name) => filter[name]).join(' ')} filter={filter} set={set} />
        </details>
        <Entries
          key={key}
          filter={filter}
          isFiltered={isFiltered}
          broken={broken}
          open={Number(params.get('entry')) || undefined}
          onOpen={(seq) => set({ entry: seq === undefined ? undefined : String(seq) })}
          onClear={clear}
        />
      </div>
    </>
  )
}

type Set = (changes: Record<string, string | undefined>) => void

const tierFilters = [
  ['yellow', 'Change'],
  ['red', 'Ask'],
  ['black', 'Never'],
] as const

function Filters({ filter, set }: { filter: JournalFilter; set: Set }) {
  const choose = (changes: { tier?: string; outcome?: string; signed?: string }) =>
    set({ tier: undefined, outcome: undefined, signed: undefined, ...changes })
  return (
    <fieldset className="filters">
      <legend className="vh">Show</legend>
      <button
        type="button"
        aria-pressed={filter.tier === undefined && filter.outcome === undefined && filter.signed === undefined}
        onClick={() => choose({})}
      >
        All
      </button>
      {tierFilters.map(([tier, word]) => (
        <button key={tier} type="button" aria-pressed={filter.tier === tier} onClick={() => choose({ tier })}>
          <Tier tier={tier} size={11} />
          {word}
        </button>
      ))}
      <button type="button" aria-pressed={filter.outcome === 'failed'} onClick={() => choose({ outcome: 'failed' })}>
        <Mark kind="bad" size={10} />
        Failed
      </button>
      <button type="button" aria-pressed={filter.signed === 'true'} onClick={() => choose({ signed: 'true' })}>
        <KeyMark />
        Signed
      </button>
    </fieldset>
  )
}

const fields = ['words', 'from', 'to', 'toolName', 'actor', 'sessionId'] as const

/** The less usual filters: words, days, kind, tool, actor, session. */
function Narrow({ filter, set }: { filter: JournalFilter; set: Set }) {
  // To a person who may only look, conversations may be closed, and so no words are searched.
  const isOperator = useValue(signedIn)?.role === 'operator'
  const field = (name: (typeof fields)[number], label: string, type = 'text') => (
    <label>
      {label}
      <input
        className="field"
        name={name}
        type={type}
        defaultValue={filter[name] ?? ''}
        placeholder="any"
        spellCheck={false}
        autoComplete="off"
      />
    </label>
  )
  return (
    <form
      className="narrow"
      aria-label="Narrow the journal"
      onSubmit={(event) => {
        event.preventDefault()
        const given = new FormData(event.currentTarget)
        const read = (name: string) => String(given.get(name) ?? '').trim()
        set(Object.fromEntries(fields.map((name) => [name, read(name)])))
      }}
    >
      {isOperator && field('words', 'Words', 'search')}
      {field('from', 'From', 'date')}
      {field('to', 'To', 'date')}
      <label>
        Kind
        <select
          className="field"
          value={filter.kind ?? ''}
          onChange={(event) => set({ kind: event.currentTarget.value })}
        >
          <option value="">any</option>
          {kinds.map(([kind, word]) => (
            <option key={kind} value={kind}>
              {word}
            </option>
          ))}
        </select>
      </label>
      {field('toolName', 'Tool')}
      {field('actor', 'By')}
      {field('sessionId', 'Session')}
      <button type="submit" className="button small">
        Narrow the journal
      </button>
    </form>
  )
}

type Checked = { at: number; ok: boolean; text: string }

/** The number of entries, the result of the chain's check, and the actions on the whole journal. */
function Chain({ head, onBroken }: { head: JournalEntry | undefined; onBroken: (broken: Broken | undefined) => void }) {
  const [checked, setChecked] = useState<Checked>()
  const [doing, setDoing] = useState<'verify' | 'export'>()
  const isOperator = useValue(signedIn)?.role === 'operator'
  const isLive = useIsLive()
  const run = async (what: 'verify' | 'export', work: () => Promise<void>) => {
    if (doing !== undefined || !isLive) return
    setDoing(what)
    await work().catch((error: unknown) => {
      const text = error instanceof ApiError ? error.message : 'That did not work.'
      setChecked({ at: Date.now(), ok: false, text })
      say(text)
    })
    setDoing(undefined)
  }
  const verify = () =>
    run('verify', async () => {
      const { ok, entries, brokenAt, reason = '' } = await verifyJournal()
      const text = ok
        ? `${grouped(entries)} entries looked at, the chain is whole`
        : `Broken at entry ${grouped(brokenAt ?? 0)}. ${reason}`
      setChecked({ at: Date.now(), ok, text })
      onBroken(ok ? undefined : { at: brokenAt ?? 0, reason })
      say(text)
    })
  return (
    <section className="verify" aria-label="The chain">
      <span className="num verify-count">{head === undefined ? '–' : grouped(head.seq)}</span>
      <span className="verify-words">
        <b>
          {checked !== undefined && <Mark kind={checked.ok ? 'ok' : 'bad'} size={11} />}
          {doing === 'verify' ? 'Reading the whole chain' : (checked?.text ?? 'entries')}
        </b>
        <small>
          {doing === 'verify' ? (
            <span className="meter endless">
              <i />
            </span>
          ) : checked === undefined ? (
            'not checked since this page was opened'
          ) : (
            `checked ${timeOfDay(checked.at)}`
          )}
        </small>
      </span>
      {head !== undefined && (
        <span className="mono verify-head">head {head.hash.slice(0, 16).replace(/(.{4})(?=.)/g, '$1 ')}</span>
      )}
      <span className="verify-acts">
        <button
          type="button"
          className="button"
          aria-disabled={!isLive || doing !== undefined}
          onClick={() => void verify()}
        >
          Verify now
        </button>
        {isOperator && (
          <button
            type="button"
            className="button"
            aria-disabled={!isLive || doing !== undefined}
            onClick={() => void run('export', exportJournal)}
          >
            {doing === 'export' ? 'Exporting' : 'Export as JSONL'}
          </button>
        )}
      </span>
    </section>
  )
}

function Entries({
  filter,
  isFiltered,
  broken,
  open,
  onOpen,
  onClear,
}: {
  filter: JournalFilter
  isFiltered: boolean
  broken: Broken | undefined
  open: number | undefined
  onOpen: (seq: number | undefined) => void
  onClear: () => void
}) {
  // If the URL names an entry that is far down, start reading there.
  const [start, setStart] = useState(open === undefined ? undefined : String(open + 20))
  const list = usePaged({
    key: `journal ${JSON.stringify(filter)} ${start}`,
    read: (before = start) => readJournal(filter, before),
    idOf,
    on: watched,
  })
  const next = list.pages?.at(-1)?.next
  const onEnd = useRef(list.more)
  onEnd.current = list.more
  const end = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new end is what must be watched
  useEffect(() => {
    if (end.current === null) return
    const watcher = new IntersectionObserver(
      (seen) => {
        if (seen.some(({ isIntersecting }) => isIntersecting)) onEnd.current()
      },
      { rootMargin: '400px' },
    )
    watcher.observe(end.current)
    return () => watcher.disconnect()
  }, [next])
  const { items, pages } = list
  if (items === undefined || pages === undefined) {
    return list.problem === undefined ? (
      <Skeletons rows={12} height={24} />
    ) : (
      <Problem error={list.problem} onAgain={list.again} />
    )
  }
  return (
    <>
      <Problem error={list.problem} onAgain={list.again} kept />
      {start !== undefined && (
        <p className="chain-from">
          From entry {grouped(Number(start))} down.{' '}
          <button type="button" className="button small quiet" onClick={() => setStart(undefined)}>
            From the newest
          </button>
        </p>
      )}
      {items.length === 0 ? (
        <Empty title={isFiltered ? 'No entry is like that.' : 'Nothing is written yet.'}>
          {isFiltered && (
            <button type="button" className="button" onClick={onClear}>
              Show all entries
            </button>
          )}
        </Empty>
      ) : (
        <>
          <div className="chain-head" aria-hidden="true">
            <span />
            <span>Entry</span>
            <span>Time</span>
            <span>Tier</span>
            <span>By</span>
            <span>Call</span>
            <span>Outcome</span>
            <span>Hash</span>
          </div>
          <JournalList
            items={items}
            besides={pages.flatMap(({ besides }) => besides ?? [])}
            open={open}
            broken={broken}
            isGrouped={filter.toolUseId === undefined && filter.kind === undefined}
            onOpen={onOpen}
            more={(entry) => <Around entry={entry} />}
            signature={(entry) => <Signed entry={entry} />}
            change={(id) => <ChangeLine id={id} />}
          />
        </>
      )}
      <Problem error={list.earlierProblem} onAgain={list.more} kept />
      {next !== undefined && (
        <div ref={end} className="chain-end">
          <button type="button" className="button small" onClick={list.more}>
            Show earlier entries
          </button>
        </div>
      )}
      {next === undefined && items.length > 0 && !isFiltered && <p className="chain-end">The first entry there is.</p>}
    </>
  )
}

/** The signature of an entry, if it has one. */
function Signed({ entry: { body } }: { entry: JournalEntry }) {
  const receipt = receiptIn(body)
  return receipt === undefined ? null : (
    <Suspense>
      <Signature receipt={receipt} />
    </Suspense>
  )
}

/** Links from an entry to the entries of the same call or session. */
function Around({ entry: { body } }: { entry: JournalEntry }) {
  const { sessionId, toolUseId, toolName, rule } = (typeof body === 'object' && body !== null ? body : {}) as Partial<
    Record<string, string>
  >
  return (
    <span className="around">
      {typeof toolUseId === 'string' && (
        <Link to={`/journal?toolUseId=${encodeURIComponent(toolUseId)}`}>All of this call</Link>
      )}
      {typeof toolName === 'string' && (
        <Link to={`/journal?toolName=${encodeURIComponent(toolName)}`}>All of this tool</Link>
      )}
      {typeof sessionId === 'string' && (
        <Link to={`/chat/${encodeURIComponent(sessionId)}`}>
          The session <Icon name="arrow" />
        </Link>
      )}
      {typeof rule === 'string' && (
        <span className="text-dim">
          rule <Boxed text={rule} />
        </span>
      )}
    </span>
  )
}
