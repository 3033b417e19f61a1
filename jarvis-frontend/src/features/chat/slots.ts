import { createContext, use } from 'react'
import type { Call } from './runs.ts'

/** What the chat draws without knowing it: cards and the names of the cluster's things. */
export type ChatSlots = {
  Card: React.ComponentType<{ call: Call; sessionId: string; progress: string | undefined }>
  /** What is said and offered of a call that may have run or not. */
  Unknown: React.ComponentType<{ toolUseId: string; observed: string }>
  /** Prose in which guests and nodes are live. */
  Prose: React.ComponentType<{ text: string }>
  Code: React.ComponentType<{ text: string }>
  guestName: (vmid: number) => string | undefined
}

export const SlotsContext = createContext<ChatSlots>({
  Card: () => null,
  Unknown: () => null,
  Prose: ({ text }) => text,
  Code: ({ text }) => text,
  guestName: () => undefined,
})

export const useSlots = (): ChatSlots => use(SlotsContext)
