import { Suspense, useMemo, useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { useSession } from '../../api/sessions.ts'
import { useStatus } from '../../api/status.ts'
import { useTools } from '../../api/tools.ts'
import { later } from '../../app/later.tsx'
import { live } from '../../app/live.ts'
import { Composer } from '../../features/chat/composer.tsx'
import { UserMessage, Working } from '../../features/chat/message.tsx'
import { nothingYet } from '../../features/chat/store.ts'
import { LinkStrip } from '../../features/chat/strips.tsx'
import { useCluster } from '../../features/cluster/store.ts'
import { useLocation } from '../../lib/location.tsx'
import { useValue } from '../../lib/use-value.ts'
import { Value } from '../../lib/value.ts'
import { takesMessages } from '../../realtime/link.ts'
import { phone, useMedia } from '../../ui/use-media.ts'
import { Conversation } from './conversation.tsx'
import { Head } from './head.tsx'
import { nounsOf } from './nouns.ts'
import { Strips } from './strips.tsx'
import { useActs } from './use-acts.ts'
import { useRunNews } from './use-run-news.ts'
import { useSending } from './use-sending.ts'

const Idle = later(() => import('./idle.tsx').then((part) => part.Idle), location.pathname === '/')
const NextCard = later(() => import('./next-card.tsx').then((part) => part.NextCard))
const ModelChoice = later(() => import('./model-choice.tsx').then((part) => part.ModelChoice))
const nothing = new Value(nothingYet)

/** The page of one session, or of a new one if `sessionId` is undefined. */
export function ChatPage({ sessionId }: { sessionId?: string }) {
  const store = useMemo(() => (sessionId === undefined ? undefined : live.chat.open(sessionId)), [sessionId])
  const state = useValue(store?.calm ?? nothing)
  const { view } = state
  const listed = useSession(sessionId)
  // A session without a run sends no events, so the list has newer data.
  const isRehearsal = listed?.isRehearsal ?? view?.isRehearsal ?? false
  const link = useValue(live.link.value)
  const { writer, isToRead } = useWriter(listed)
  const mayWrite = writer !== undefined
  const status = useStatus()
  const names = useNames(view?.agent)
  const isPhone = useMedia(phone)
  const [isChoosing, setChoosing] = useState(false)
  const [picked, setPicked] = useState<{ model: string | undefined }>()
  const draftKey = sessionId ?? 'new'
  const { focusKey, at, hasContext } = useAddress()
  const sending = useSending(sessionId, picked?.model)
  const { attached, starting, problem, draftVersion, putDraft, send } = sending
  const isRunning = view?.runId !== undefined
  const chosenModel = (picked ?? listed ?? view)?.model
  /** On a phone the context panel replaces the chat, because there is no panel beside it. */
  const isContext = isPhone && hasContext && sessionId !== undefined
  useRunNews(view)

  const onModel = () => setChoosing(true)
  const { acts, write, warned, question } = useActs({ sessionId, view, mayWrite, sending, onModel })
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
      {sessionId === undefined && starting === undefined && (
        <NewChat onAsk={mayWrite ? (question) => void send(question) : undefined} />
      )}
      {starting !== undefined && <Starting text={starting} />}
      {store !== undefined && sessionId !== undefined && (
        <Conversation
          store={store}
          state={state}
          sessionId={sessionId}
          isContext={isContext}
          canSend={mayWrite}
          send={send}
          at={at}
        />
      )}
      {isPhone && !isContext && <Next sessionId={sessionId} />}
      {!state.missing && !isContext && (
        <Composer
          key={`${draftKey} ${draftVersion}`}
          draftKey={draftKey}
          model={model}
          onModel={mayWrite ? acts.model : undefined}
          {...names}
          isRunning={isRunning}
          isAnswer={question !== undefined}
          isLive={takesMessages(link)}
          rest={mayWrite ? undefined : isToRead ? 'Shared with you to read.' : 'An operator can write here.'}
          focusKey={focusKey}
          onSend={(text) => void write(text)}
          onStop={acts.stop}
        >
          {problem !== undefined && <Refused words={problem} />}
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
          <Strips
            draftKey={draftKey}
            sessionId={sessionId}
            view={view}
            isRehearsal={isRehearsal}
            warned={warned}
            writer={writer}
            attached={attached}
            putDraft={putDraft}
          />
        </Composer>
      )}
    </>
  )
}

/** The id of the person if this person may write in a session, and whether it is shared to be read. */
function useWriter(listed: ReturnType<typeof useSession>) {
  const person = useValue(signedIn)
  const isToRead =
    person?.role !== 'operator' && listed?.sharedWith?.some((one) => one.person === person?.id && one.may === 'look')
  return { writer: person?.mayAsk === true && isToRead !== true ? person.id : undefined, isToRead }
}

/** The parts of the address: a message to scroll to, the context, and if the field gets the focus. */
function useAddress() {
  const { state, key, search } = useLocation()
  const params = new URLSearchParams(search)
  const seq = params.get('at') ?? ''
  return {
    focusKey: (state as { write?: boolean } | null)?.write === true ? key : undefined,
    at: /^\d+$/.test(seq) ? { seq: Number(seq), key } : undefined,
    hasContext: params.has('context'),
  }
}

const Refused = ({ words }: { words: string }) => (
  <p className="strip" role="alert">
    <span>{words} Your text is kept.</span>
  </p>
)

/** The names that the field completes. @param agent the agent whose skills are read */
function useNames(agent: string | undefined) {
  const cluster = useCluster().state
  return {
    tools: useTools() ?? [],
    nouns: useMemo(() => nounsOf(cluster), [cluster]),
    readSkills: () => import('../../api/skill-names.ts').then((part) => part.skillNames(agent)),
  }
}

const Next = ({ sessionId }: { sessionId: string | undefined }) => (
  <Suspense fallback={null}>
    <NextCard sessionId={sessionId} />
  </Suspense>
)

const NewChat = (props: { onAsk: ((question: string) => void) | undefined }) => (
  <Suspense fallback={<section className="idle scroll" />}>
    <Idle {...props} />
  </Suspense>
)

const Starting = ({ text }: { text: string }) => (
  <section className="stream scroll">
    <div className="stream-column">
      <UserMessage text={text} />
      <Working />
    </div>
  </section>
)
