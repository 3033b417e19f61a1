import { Suspense } from 'react'
import { later } from '../../app/later.tsx'
import { live } from '../../app/live.ts'
import { useAskNew } from '../../app/use-ask.ts'
import type { ChatSlots } from '../../features/chat/slots.ts'
import { NounButton, NounCode, NounText } from '../../features/cluster/noun.tsx'
import type { Noun } from '../../features/cluster/nouns.ts'
import { MessageActs, RunUsage, SayActs } from './message-acts.tsx'

const ChatCard = later(() => import('./chat-card.tsx').then((part) => part.ChatCard))
const ChatQuestions = later(() => import('./chat-question.tsx').then((part) => part.ChatQuestions))
const ChatBudget = later(() => import('./chat-budget.tsx').then((part) => part.ChatBudget))
const RecalledPassages = later(() => import('./recalled.tsx').then((part) => part.RecalledPassages))
const UnknownOutcome = later(() => import('../../app/unknown-outcome.tsx').then((part) => part.UnknownOutcome))
const ChatChange = later(() => import('../../app/changes/change-line.tsx').then((part) => part.ChatChange))
const ApplyCommand = later(() => import('./apply-command.tsx').then((part) => part.ApplyCommand))
const UndoWrite = later(() => import('./undo-write.tsx').then((part) => part.UndoWrite))

const LiveNoun = ({ noun }: { noun: Noun }) => <NounButton noun={noun} onAsk={useAskNew()} />

/** The components of other features that the page passes to the chat. */
export const chatSlots: ChatSlots = {
  Card: (given) => (
    <Suspense fallback={given.call.resolved === undefined && <div className="card-space" />}>
      <ChatCard {...given} />
    </Suspense>
  ),
  Questions: (given) => (
    <Suspense fallback={null}>
      <ChatQuestions {...given} />
    </Suspense>
  ),
  Unknown: (given) => (
    <Suspense fallback={null}>
      <UnknownOutcome {...given} />
    </Suspense>
  ),
  Budget: (given) => (
    <Suspense fallback={null}>
      <ChatBudget {...given} />
    </Suspense>
  ),
  Recalled: (given) => (
    <Suspense fallback={null}>
      <RecalledPassages {...given} />
    </Suspense>
  ),
  Undo: (given) => (
    <Suspense fallback={null}>
      <UndoWrite {...given} />
    </Suspense>
  ),
  Change: (given) => (
    <Suspense fallback={null}>
      <ChatChange {...given} />
    </Suspense>
  ),
  Apply: (given) => (
    <Suspense fallback={null}>
      <ApplyCommand {...given} />
    </Suspense>
  ),
  Message: MessageActs,
  SayActs,
  Usage: RunUsage,
  Prose: ({ text }) => <NounText text={text} Live={LiveNoun} />,
  Code: ({ text }) => <NounCode text={text} Live={LiveNoun} />,
  guestName: (vmid) => live.cluster.view.get().state?.guests.find((guest) => guest.vmid === vmid)?.name,
}
