import type { EntryOf, Recalled } from 'protocol'
import { createContext, use } from 'react'
import type { Asked, Call, Run } from './runs.ts'

/** Components that the page passes to the chat, because the chat does not import them: cards, names of nodes and guests, message actions. */
export type ChatSlots = {
  Card: React.ComponentType<{ call: Call; sessionId: string; progress: string | undefined }>
  /** The questions that a call asked. */
  Questions: React.ComponentType<{ asked: readonly Asked[]; sessionId: string }>
  /** Explains a call with an unknown outcome and offers a check. */
  Unknown: React.ComponentType<{ toolUseId: string; observed: string }>
  /** A line with the remaining budget of a run. `isOpen`: the run continues. */
  Budget: React.ComponentType<{ entry: EntryOf<'budget'>; isOpen: boolean }>
  /** Passages from the memory, with links to their sources. */
  Recalled: React.ComponentType<{ items: readonly Recalled[] }>
  /** A button that undoes a call's write to the memory. */
  Undo: React.ComponentType<{ writeId: string; path: string }>
  /** The change of a finished call: Keep while the change is about to go back by itself, otherwise Undo. */
  Change: React.ComponentType<{ id: string; sessionId: string }>
  /** Asks to apply the file changes of a command, if no call has asked for that yet. `runId`: run of the command's call. */
  Apply: React.ComponentType<{ command: string; changes: number; runId: string; sessionId: string; isBare?: boolean }>
  /** A person's message, with Edit and a switch between its versions. */
  Message: React.ComponentType<{ sessionId: string; user: EntryOf<'user'>; children: React.ReactNode }>
  /** Actions on a text of an answer. `seq`: the text's turn. */
  SayActs: React.ComponentType<{ sessionId: string; seq: number; text: string }>
  /** A run's cost and time, and actions on its answer. */
  Usage: React.ComponentType<{ sessionId: string; run: Run; mayRetry: boolean }>
  /** Text in which nodes and guests show their live state. */
  Prose: React.ComponentType<{ text: string }>
  Code: React.ComponentType<{ text: string }>
  guestName: (vmid: number) => string | undefined
}

export const SlotsContext = createContext<ChatSlots>({
  Card: () => null,
  Questions: () => null,
  Unknown: () => null,
  Budget: () => null,
  Recalled: () => null,
  Undo: () => null,
  Change: () => null,
  Apply: () => null,
  Message: ({ children }) => children,
  SayActs: () => null,
  Usage: () => null,
  Prose: ({ text }) => text,
  Code: ({ text }) => text,
  guestName: () => undefined,
})

export const useSlots = (): ChatSlots => use(SlotsContext)
