import type { RunbookCheck, RunbookText } from 'protocol'
import { ApiError } from 'protocol/client'
import { useEffect, useRef, useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { checkRunbook, deleteRunbook, readRunbook, runRunbook, saveRunbook } from '../../api/runbooks.ts'
import { useNewest } from '../../api/use-load.ts'
import { say } from '../../app/announce.tsx'
import { Problem, Resting, Skeletons, useIsLive } from '../../app/load-state.tsx'
import { PageHead } from '../../app/page-head.tsx'
import { dateOf, plural } from '../../lib/format.ts'
import { keep } from '../../lib/keep.ts'
import { navigate, useSearchParams } from '../../lib/location.tsx'
import { useValue } from '../../lib/use-value.ts'
import { Mark } from '../../ui/mark.tsx'
import { phone, useMedia } from '../../ui/use-media.ts'
import { Conflict } from './conflict.tsx'
import { Discard } from './discard.tsx'
import { DryRun, type Inputs } from './dry-run.tsx'
import { Editor } from './editor.tsx'
import { SaveAndRun } from './save-and-run.tsx'
import { useRunbookKeys } from './use-runbook-keys.ts'
import './page.css'

/** Pause in typing, ms, after which the text is checked for faults. */
const settleMs = 350
const template = (name: string) => `---
name: ${name}
inputs:
  node: { type: node }
max_age: 10 min
---
What it is for.

## 1. Look
tool: get_nodes
args: {}
as: nodes
`

/** The page of one runbook: its text, which is checked while the person types, and the dry run beside it. */
export function RunbookPage({ name }: { name: string }) {
  const [params] = useSearchParams()
  const isNew = params.has('new')
  const { data, problem, again, put } = useNewest(
    `runbook ${name}`,
    () =>
      readRunbook(name).catch((error: unknown) => {
        if (isNew && error instanceof ApiError && error.code === 'not_found') return 'none' as const
        throw error
      }),
    ['connect', 'runbooks'],
  )
  return data === undefined ? (
    <>
      <PageHead title={name}>
        <span className="flex-1" />
      </PageHead>
      <Problem error={problem} onAgain={again} />
      {problem === undefined && <Skeletons rows={12} height={18} />}
    </>
  ) : (
    <Opened
      key={name}
      name={name}
      saved={data === 'none' ? undefined : data}
      onSaved={put}
      given={params.get('inputs')}
    />
  )
}

type Props = {
  name: string
  /** Undefined: the runbook is not saved yet. */
  saved: RunbookText | undefined
  onSaved: (saved: RunbookText) => void
  /** The inputs in the page's URL, as JSON. */
  given: string | null
}

/**
 * The text of a runbook. `draft`: the text as it was typed; undefined if nothing was typed. `base`: the saved text below the draft. `theirs`: the text
 * that another person saved meanwhile.
 */
function useRunbookDraft(name: string, saved: RunbookText | undefined) {
  const draftKey = `draft.runbook.${name}`
  const [draft, setDraft] = useState(() => keep.get(draftKey))
  const [base, setBase] = useState(saved)
  const [theirs, setTheirs] = useState<RunbookText>()
  // Another person has saved. Show their text if nothing was typed here; otherwise show the conflict.
  useEffect(() => {
    if (saved === undefined || saved.hash === base?.hash) return
    if (draft === undefined || draft === saved.text) setBase(saved)
    else setTheirs(saved)
  }, [saved, base, draft])
  const put = (next: string | undefined) => {
    setDraft(next)
    keep.set(draftKey, next)
  }
  /** Shows a saved text and discards the draft. */
  const settle = (next: RunbookText) => {
    setBase(next)
    setTheirs(undefined)
    put(undefined)
  }
  const text = draft ?? base?.text ?? template(name)
  return { draft, base, theirs, text, isChanged: base === undefined || text !== base.text, put, settle, setTheirs }
}

/** The checks of the text: for faults after each pause in typing, and with a dry run when the person asks for one. */
function useCheck(text: string, mayCheck: boolean, setRefused: (error: ApiError | undefined) => void) {
  const [checked, setChecked] = useState<{ text: string; reply: RunbookCheck }>()
  const [isRunning, setRunning] = useState(false)
  const plan = useRef<RunbookCheck['plan']>(undefined)
  useEffect(() => {
    if (!mayCheck) return
    const timer = setTimeout(() => {
      checkRunbook(text).then(
        (reply) => setChecked({ text, reply }),
        (error: unknown) => error instanceof ApiError && setRefused(error),
      )
    }, settleMs)
    return () => clearTimeout(timer)
  }, [text, mayCheck, setRefused])
  const runDry = async (values: Inputs) => {
    if (isRunning) return
    setRunning(true)
    try {
      const reply = await checkRunbook(text, values)
      plan.current = reply.plan
      setChecked({ text, reply })
      setRefused(undefined)
      say(reply.plan?.problem === undefined ? 'The dry run is done.' : 'The dry run could not go on.')
    } catch (error) {
      if (error instanceof ApiError) setRefused(error)
    }
    setRunning(false)
  }
  return { checked, plan: checked?.reply.plan ?? plan.current, isRunning, runDry }
}

/** The line of the fault that was last gone to, and a function that goes to the next one. */
function useNextFault(faults: RunbookText['faults']) {
  const [goTo, setGoTo] = useState<{ line: number }>()
  const nextFault = () => {
    const at = goTo === undefined ? -1 : faults.findIndex(({ line }) => line === goTo.line)
    const next = faults[(at + 1) % Math.max(1, faults.length)]
    if (next !== undefined) setGoTo({ line: next.line })
  }
  return { goTo, nextFault }
}

const Faults = ({ words, onNext }: { words: string; onNext: () => void }) => (
  <button type="button" className="job-tag" onClick={onNext} title="F8">
    <Mark kind="bad" size={9} /> {words}
  </button>
)

const Running = ({ since }: { since: number }) => <span className="job-tag">saved version runs: {dateOf(since)}</span>

function Opened({ name, saved, onSaved, given }: Props) {
  const [refused, setRefused] = useState<ApiError>()
  const { draft, base, theirs, text, isChanged, put, settle, setTheirs } = useRunbookDraft(name, saved)
  const [values, setValues] = useState<Inputs>(() => readInputs(given))
  const isPhone = useMedia(phone)
  const isLive = useIsLive()
  const isOperator = useValue(signedIn)?.role === 'operator'
  const mayAct = isOperator && isLive && !isPhone
  const { checked, plan, isRunning, runDry } = useCheck(text, isOperator && isLive, setRefused)
  const isRead = checked?.text === text
  const runbook = checked?.reply.runbook ?? base
  const faults = runbook?.faults ?? []
  const { goTo, nextFault } = useNextFault(faults)
  const faulty = plural(faults.length, 'fault')

  /** Does what a person asked for, and shows why the server refused it. */
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      if (error instanceof ApiError) setRefused(error)
    }
  }
  const type = (next: string | undefined) => {
    put(next)
    setRefused(undefined)
  }
  const rest = !isRead ? 'being read' : faults.length > 0 ? `${faulty} first` : undefined
  const saveRest = !isChanged ? 'saved' : rest
  const runRest = isChanged ? 'save it first' : rest
  const save = async (over = base?.hash) => {
    if (!mayAct || saveRest !== undefined) return
    try {
      const next = await saveRunbook(name, text, over)
      settle(next)
      setRefused(undefined)
      onSaved(next)
      say('Saved.')
      if (location.search.includes('new=')) navigate(location.pathname, { replace: true })
    } catch (error) {
      if (!(error instanceof ApiError)) return
      if (error.code === 'conflict') setTheirs(await readRunbook(name).catch(() => undefined))
      setRefused(error)
    }
  }
  const run = async () => {
    if (!mayAct || runRest !== undefined) return
    await attempt(async () => navigate(`/chat/${(await runRunbook(name, values)).sessionId}`))
  }
  const remove = () =>
    attempt(async () => {
      await deleteRunbook(name)
      put(undefined)
      navigate('/automations/runbooks')
    })
  useRunbookKeys({ save: () => void save(), runDry: () => mayAct && void runDry(values), nextFault })

  return (
    <>
      <PageHead title={runbook?.title || name} detail={`runbooks / ${name}.md`}>
        {faults.length > 0 && <Faults words={faulty} onNext={nextFault} />}
        {base !== undefined && isChanged && <Running since={base.changedAt} />}
        <span className="flex-1" />
        {mayAct && <SaveAndRun {...{ saveRest, runRest }} onSave={() => void save()} onRun={() => void run()} />}
      </PageHead>
      {theirs === undefined ? (
        <Problem error={refused} />
      ) : (
        <Conflict
          theirs={theirs}
          mine={text}
          onTheirs={() => {
            settle(theirs)
            setRefused(undefined)
          }}
          onMine={() => void save(theirs.hash)}
        />
      )}
      <div className="runbook-split">
        <Editor text={text} runbook={runbook} isReadOnly={!mayAct} onChange={type} goTo={goTo} />
        <aside className="scroll runbook-aside" aria-label="Dry run">
          {isOperator ? (
            <DryRun
              name={name}
              runbook={runbook}
              plan={plan}
              values={values}
              onValues={setValues}
              onRun={mayAct && rest === undefined ? () => void runDry(values) : undefined}
              rest={isPhone ? 'on a wider screen' : rest}
              isRunning={isRunning}
            />
          ) : (
            <Resting isOperator={false} isLive={isLive} />
          )}
          {mayAct && base !== undefined && (
            <Discard
              onDrop={draft !== undefined && isChanged ? () => type(undefined) : undefined}
              onRemove={() => void remove()}
            />
          )}
        </aside>
      </div>
    </>
  )
}

function readInputs(given: string | null): Inputs {
  try {
    const value: unknown = JSON.parse(given ?? '{}')
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
