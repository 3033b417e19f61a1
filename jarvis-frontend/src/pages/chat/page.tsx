import type { QueuedMessage } from 'protocol'
import { Suspense, useEffect, useMemo, useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { sessions, setRehearsal, useSession } from '../../api/sessions.ts'
import { useStatus } from '../../api/status.ts'
import { useTools } from '../../api/tools.ts'
import { say } from '../../app/announce.tsx'
import { later, opensSession } from '../../app/later.tsx'
import { live } from '../../app/live.ts'
import { overlay } from '../../app/overlay.ts'
import { PageHead } from '../../app/page-head.tsx'
import { usePanel } from '../../app/panel-context.ts'
import { leaveEmptyComposer } from '../../app/typing.ts'
import type { Act, Meaning } from '../../features/chat/commands.ts'
import { Composer } from '../../features/chat/composer.tsx'
import { StreamSkeleton, UserMessage, Working } from '../../features/chat/message.tsx'
import type { SessionView } from '../../features/chat/state.ts'
import { nothingYet, type SessionState } from '../../features/chat/store.ts'
import { LinkStrip } from '../../features/chat/strips.tsx'
import { PanelToggle } from '../../features/cluster/panel-toggle.tsx'
import { useCluster } from '../../features/cluster/store.ts'
import { plural, shortModel } from '../../lib/format.ts'
import { navigate, useLocation } from '../../lib/location.tsx'
import { useEscape } from '../../lib/use-escape.ts'
import { useValue } from '../../lib/use-value.ts'
import { Value } from '../../lib/value.ts'
import { takesMessages } from '../../realtime/link.ts'
import { phone, useMedia } from '../../ui/use-media.ts'
import { DenyAllHere } from './deny-all-here.tsx'
import { exportSession } from './export-session.ts'
import { nounsOf } from './nouns.ts'
import { tokensOf } from './tokens-of.ts'
import { useRunNews } from './use-run-news.ts'
import { useSending } from './use-sending.ts'

const SessionStream = later(() => import('./session-stream.tsx').then((part) => part.SessionStream), opensSession)
const SessionHead = later(() => import('./session-head.tsx').then((part) => part.SessionHead), opensSession)
const Idle = later(() => import('./idle.tsx').then((part) => part.Idle), location.pathname === '/')
const notices = () => import('../../features/chat/notices.tsx')
const Notice = later(() => notices().then((part) => part.Notice))
const Queue = later(() => notices().then((part) => part.Queue))
const Rehearsal = later(() => notices().then((part) => part.Rehearsal))
const NextCard = later(() => import('./next-card.tsx').then((part) => part.NextCard))
const Attach = later(() => import('../../features/chat/attach.tsx').then((part) => part.Attach))
const Todo = later(() => import('./todo.tsx').then((part) => part.Todo))
const Missing = later(() => import('./missing.tsx').then((part) => part.Missing))
const ContextPanel = later(() => import('../../app/context/panel.tsx').then((part) => part.ContextPanel))
const ModelChoice = later(() => import('./model-choice.tsx').then((part) => part.ModelChoice))
const nothing = new Value(nothingYet)
/** Time in which a second Escape withdraws waiting cards and questions, ms. */
const warnedMs = 6_000

/** The page of one session, or of a new one if `sessionId` is undefined. */
export function ChatPage({ sessionId }: { sessionId?: string }) {
  const store = useMemo(() => (sessionId === undefined ? undefined : live.chat.open(sessionId)), [sessionId])
  const state = useValue(store?.calm ?? nothing)
  const { view } = state
  const listed = useSession(sessionId)
  // A session without a run sends no events, so the list has newer data.
  const isRehearsal = listed?.isRehearsal ?? view?.isRehearsal ?? false
  const link = useValue(live.link.value)
  const person = useValue(signedIn)
  const isToRead =
    person?.role !== 'operator' && listed?.sharedWith?.some((one) => one.person === person?.id && one.may === 'look')
  const mayWrite = person?.mayAsk === true && isToRead !== true
  const status = useStatus()
  const tools = useTools() ?? []
  const cluster = useCluster().state
  const panel = usePanel()
  const isPhone = useMedia(phone)
  const [isChoosing, setChoosing] = useState(false)
  const [picked, setPicked] = useState<{ model: string | undefined }>()
  const draftKey = sessionId ?? 'new'
  const location = useLocation()
  const focusKey = (location.state as { write?: boolean } | null)?.write === true ? location.key : undefined
  const { attached, starting, problem, setProblem, draftVersion, putDraft, send } = useSending(sessionId, picked?.model)
  const nouns = useMemo(() => nounsOf(cluster), [cluster])
  const isRunning = view?.runId !== undefined
  const chosenModel = (picked ?? listed ?? view)?.model
  const params = new URLSearchParams(location.search)
  /** On a phone the context panel replaces the chat, because there is no panel beside it. */
  const contextOf = isPhone && params.has('context') ? sessionId : undefined
  const seq = params.get('at') ?? ''
  const at = /^\d+$/.test(seq) ? { seq: Number(seq), key: location.key } : undefined
  useRunNews(view)

  const edit = (message: QueuedMessage) => {
    attached.current?.take(message.attachments ?? [])
    putDraft(message.text)
  }
  const stop = () => {
    if (sessionId !== undefined && isRunning && mayWrite) void live.chat.abort(sessionId)
  }
  const acts: Record<Act, () => void> = {
    new: () => navigate('/', { state: { write: true } }),
    model: () => setChoosing(true),
    stop,
    help: () => overlay.set('keys'),
    export: () => {
      if (sessionId === undefined) setProblem('There is nothing to export in a new chat.')
      else void exportSession(sessionId, view?.title ?? 'session').catch((error: Error) => setProblem(error.message))
    },
  }
  /** The model's open question in this session. A message that the person writes answers it. */
  const question = view?.questions.find(({ server }) => server === undefined)
  /** Runs a command of the dashboard, answers the question, or sends the text. */
  const write = async (text: string) => {
    setProblem(undefined)
    if (question !== undefined && sessionId !== undefined && !text.startsWith('/')) {
      if (attached.current?.holdsBack()) return putDraft(text)
      const reply = await live.chat.answer(sessionId, question.questionId, { said: text })
      if (reply.ok) return
      setProblem(reply.error.message)
      putDraft(text)
      return
    }
    const meaning = text.startsWith('/') ? await meaningOf(text) : { send: text }
    if ('send' in meaning) await send(meaning.send)
    else if ('act' in meaning) acts[meaning.act]()
    else {
      setProblem(meaning.problem)
      putDraft(text)
    }
  }
  const warned = useWarnedStop(view, mayWrite, stop)

  const isNew = sessionId === undefined
  const model = chosenModel ?? status?.model
  return (
    <>
      <Head
        sessionId={sessionId}
        state={state}
        isRehearsal={isRehearsal}
        model={mayWrite ? model : undefined}
        onModel={acts.model}
      />
      {isNew && starting === undefined && (
        <Suspense fallback={<section className="idle scroll" />}>
          <Idle onAsk={mayWrite ? (question) => void send(question) : undefined} />
        </Suspense>
      )}
      {starting !== undefined && (
        <section className="stream scroll">
          <div className="stream-column">
            <UserMessage text={starting} />
            <Working />
          </div>
        </section>
      )}
      {!isNew && state.missing && (
        <Suspense fallback={null}>
          <Missing sessionId={sessionId} />
        </Suspense>
      )}
      {contextOf !== undefined && (
        <div className="page scroll">
          <Suspense fallback={null}>
            <ContextPanel sessionId={contextOf} onClose={() => navigate(`/chat/${contextOf}`)} />
          </Suspense>
        </div>
      )}
      {store !== undefined && sessionId !== undefined && !state.missing && contextOf === undefined && (
        <Suspense
          fallback={
            <section className="stream scroll">
              <div className="stream-column">
                <StreamSkeleton />
              </div>
            </section>
          }
        >
          <SessionStream
            store={store}
            state={state}
            sessionId={sessionId}
            canSend={mayWrite}
            onSend={(text, requestId) => void send(text, requestId)}
            at={at}
          />
        </Suspense>
      )}
      {isPhone && contextOf === undefined && (
        <Suspense fallback={null}>
          <NextCard sessionId={sessionId} />
        </Suspense>
      )}
      {!(state.missing && !isNew) && contextOf === undefined && (
        <Composer
          key={`${draftKey} ${draftVersion}`}
          draftKey={draftKey}
          model={model}
          onModel={mayWrite ? acts.model : undefined}
          tools={tools}
          nouns={nouns}
          readSkills={() => import('../../api/skill-names.ts').then((part) => part.skillNames(view?.agent))}
          isRunning={isRunning}
          isAnswer={question !== undefined}
          isLive={takesMessages(link)}
          rest={mayWrite ? undefined : isToRead ? 'Shared with you to read.' : 'An operator can write here.'}
          focusKey={focusKey}
          onSend={(text) => void write(text)}
          onStop={stop}
        >
          {problem !== undefined && (
            <p className="strip" role="alert">
              <span>{problem} Your text is kept.</span>
            </p>
          )}
          {isChoosing && status !== undefined && (
            <Suspense fallback={null}>
              <ModelChoice
                sessionId={sessionId}
                models={status.models}
                chosen={chosenModel}
                effort={(listed ?? view)?.effort}
                onChosen={(model) => setPicked({ model })}
                onClose={() => setChoosing(false)}
              />
            </Suspense>
          )}
          <LinkStrip link={link} isRunning={isRunning} onTry={live.link.tryNow} />
          <Suspense fallback={null}>
            {isRehearsal && (
              <Rehearsal onEnd={mayWrite && sessionId !== undefined ? () => void endRehearsal(sessionId) : undefined} />
            )}
            {view !== undefined && view.todo.length > 0 && (isPhone || !panel.isOpen) && (
              <Todo items={view.todo} isFolded />
            )}
            {view?.notice !== undefined && <Notice notice={view.notice} isAtWork={view.runId !== undefined} />}
            {mayWrite && (
              <Attach
                draftKey={draftKey}
                onReady={(files) => {
                  attached.current = files
                }}
              />
            )}
            {warned !== undefined && (
              <p className="strip wash-warn" role="alert">
                <span>
                  Press <kbd>Esc</kbd> again to stop the answer and withdraw {warned}.
                </span>
              </p>
            )}
            {sessionId !== undefined && <DenyAllHere sessionId={sessionId} />}
            {view !== undefined && sessionId !== undefined && view.queued.length > 0 && (
              <Queued
                sessionId={sessionId}
                view={view}
                onEdit={edit}
                writer={mayWrite && link.status === 'live' ? person.id : undefined}
              />
            )}
          </Suspense>
        </Composer>
      )}
    </>
  )
}

/**
 * Stops the answer on Escape. If that would withdraw cards or questions, only a second Escape does it.
 * @returns what the second Escape would withdraw; undefined: none was pressed
 */
function useWarnedStop(view: SessionView | undefined, mayWrite: boolean, stop: () => void): string | undefined {
  const waits = waitingWords(view)
  const [isWarned, setWarned] = useState(false)
  useEffect(() => {
    if (!isWarned) return
    const timer = setTimeout(() => setWarned(false), warnedMs)
    return () => clearTimeout(timer)
  }, [isWarned])
  if (isWarned && waits === undefined) setWarned(false)
  const onEscape = () => {
    if (view?.runId === undefined) return leaveEmptyComposer()
    if (waits === undefined || isWarned) return stop()
    if (mayWrite) setWarned(true)
  }
  useEscape(onEscape, 'page')
  return isWarned ? waits : undefined
}

type QueuedProps = {
  sessionId: string
  view: SessionView
  onEdit: (message: QueuedMessage) => void
  writer: string | undefined
}

/** The messages that wait for the end of the answer. */
function Queued({ sessionId, view, onEdit, writer }: QueuedProps) {
  const remove = (message: QueuedMessage) => live.chat.unqueue(sessionId, message)
  const edit = async (message: QueuedMessage) => {
    if ((await remove(message)).ok) onEdit(message)
  }
  const sendHeld = async (message: QueuedMessage) => {
    const reply = await live.chat.sendHeld(sessionId, message)
    if (!reply.ok) say(reply.error.message)
  }
  return (
    <Queue
      queued={view.queued}
      waiting={view.pending.length}
      onEdit={(message) => void edit(message)}
      onRemove={(message) => void remove(message)}
      onSend={(message) => void sendHeld(message)}
      writer={writer}
    />
  )
}

async function endRehearsal(sessionId: string) {
  await setRehearsal(sessionId, false).catch((error: Error) => say(error.message))
  sessions.renew()
}

type HeadProps = {
  sessionId: string | undefined
  state: SessionState
  isRehearsal: boolean
  /** The model that a phone offers to change; undefined: it may not be changed. */
  model: string | undefined
  onModel: () => void
}

/** The head of the page, with the switch of the context panel. */
function Head({ sessionId, state: { view, missing }, isRehearsal, model, onModel }: HeadProps) {
  const panel = usePanel()
  const toggle = !useMedia(phone) && <PanelToggle isOpen={panel.isOpen} onToggle={panel.toggle} />
  const { pathname } = useLocation()
  // The composer of a phone has no room for it.
  const modelAct = model !== undefined && (
    <button
      type="button"
      className="button"
      onClick={() => {
        onModel()
        // Leads nowhere else, and so closes the menu alone.
        navigate(pathname, { replace: true })
      }}
    >
      Model: {shortModel(model)}
    </button>
  )
  if (sessionId === undefined || view === undefined) {
    const title = sessionId === undefined ? 'New chat' : missing ? 'No such session' : 'Chat'
    return (
      <PageHead title={title} phoneActs={sessionId === undefined && modelAct}>
        <span className="flex-1" />
        {toggle}
      </PageHead>
    )
  }
  return (
    <Suspense fallback={<PageHead title={view.title} detail={tokensOf(view)} />}>
      <SessionHead
        sessionId={sessionId}
        title={view.title}
        isRehearsal={isRehearsal}
        agent={view.agent}
        branchedFrom={view.branchedFrom}
        detail={tokensOf(view)}
        phoneActs={modelAct}
      >
        {toggle}
      </SessionHead>
    </Suspense>
  )
}

/** Names the cards and questions that a stop would withdraw; undefined if none wait. */
function waitingWords(view: SessionView | undefined): string | undefined {
  const cards = view?.pending.length ?? 0
  const questions = view?.questions.length ?? 0
  const words = [
    ...(cards > 0 ? [plural(cards, 'waiting confirmation')] : []),
    ...(questions > 0 ? [plural(questions, 'question')] : []),
  ]
  return words.length === 0 ? undefined : words.join(' and ')
}

const meaningOf = (text: string): Promise<Meaning> =>
  import('../../features/chat/commands.ts').then(
    (part) => part.meaningOf(text),
    () => ({ send: text }),
  )
