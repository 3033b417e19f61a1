import type { EntryOf, Recalled } from 'jarvis-backend/protocol'
import { createContext, use } from 'react'
import type { Call, Run } from './runs.ts'

/** What the chat draws without knowing it: cards, the names of the cluster's things, and what can be done with messages. */
export type ChatSlots = {
  Card: React.ComponentType<{ call: Call; sessionId: string; progress: string | undefined }>
  /** What is said and offered of a call that may have run or not. */
  Unknown: React.ComponentType<{ toolUseId: string; observed: string }>
  /** Passages the memory gave, with links to where they stand. */
  Recalled: React.ComponentType<{ items: readonly Recalled[] }>
  /** Takes back what a call wrote into the memory. */
  Undo: React.ComponentType<{ writeId: string; path: string }>
  /** A person's message, which can be edited; its versions are beside it. */
  Message: React.ComponentType<{ sessionId: string; user: EntryOf<'user'>; children: React.ReactNode }>
  /** What can be done with some words of an answer; `seq`: their turn. */
  SayActs: React.ComponentType<{ sessionId: string; seq: number; text: string }>
  /** What a run took, and what can be done with its answer. */
  Usage: React.ComponentType<{ sessionId: string; run: Run; mayRetry: boolean }>
  /** Prose in which guests and nodes are live. */
  Prose: React.ComponentType<{ text: string }>
  Code: React.ComponentType<{ text: string }>
  guestName: (vmid: number) => string | undefined
}

export const SlotsContext = createContext<ChatSlots>({
  Card: () => null,
  Unknown: () => null,
  Recalled: () => null,
  Undo: () => null,
  Message: ({ children }) => children,
  SayActs: () => null,
  Usage: () => null,
  Prose: ({ text }) => text,
  Code: ({ text }) => text,
  guestName: () => undefined,
})

export const useSlots = (): ChatSlots => use(SlotsContext)
