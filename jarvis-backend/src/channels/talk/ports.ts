import type { Card, Change, ChatEvents, Entry, Question } from 'protocol'
import type { Document, Picture } from '../channel.ts'

/** A session that is used in a chat. */
export type Chat = {
  recipient: string
  /** Empty: the chat itself. */
  thread: string
  sessionId: string
  /** The newest `seq` whose messages were added to the outbox, or that needed no message. */
  told: number
  /** The id of the message that shows an answer while it is written. */
  preview?: string
  /** New messages go to this session. A chat and thread has at most one current session. */
  isCurrent: boolean
  at: number
}

/** The sessions of chats. They are removed with their recipient. */
export interface ChatStore {
  current(recipient: string, thread: string): Chat | undefined
  /** The chats of a recipient and thread, newest first; of all recipients if none is given. */
  list(of?: { recipient: string; thread: string }): Chat[]
  /** Makes a session the current one of its chat. @param chat `told`: the initial value if the session is new in the chat */
  enter(chat: Pick<Chat, 'recipient' | 'thread' | 'sessionId' | 'told' | 'at'>): void
  /** Leaves the current session, so that the next message begins a new one. */
  leave(recipient: string, thread: string): void
  /** Records that all entries up to `seq` were told. */
  tell(chat: Pick<Chat, 'recipient' | 'thread' | 'sessionId'>, seq: number): void
  /** Stores the id of the message that shows an answer while it is written. @param ref undefined: there is no such message */
  preview(chat: Pick<Chat, 'recipient' | 'thread' | 'sessionId'>, ref: string | undefined): void
  removeOf(recipient: string): void
}

/** The action of a button of a conversation. */
export type Deed =
  | { does: 'answer'; questionId: string; option: number }
  | { does: 'decline'; questionId: string }
  | { does: 'send' | 'discard'; heard: string }
  | { does: 'open'; sessionId: string }

/** One button of one message. `hash`: the hash of its token. `item`: the attempt that sent it. */
export type StoredChoice = {
  hash: string
  recipient: string
  thread: string
  item: string
  deed: Deed
  ref?: string
  expiresAt: number
  usedAt?: number
}

export interface ChoiceStore {
  add(choice: StoredChoice): void
  get(hash: string): StoredChoice | undefined
  /** Stores the id of the sent message with the buttons of its attempt. Buttons that already have a message keep it. */
  bind(item: string, ref: string): void
  /** Marks a button as used, and ends the other buttons of its message. Only the first call counts. @returns false if an earlier call came first */
  use(hash: string, at: number): boolean
  removeOf(recipient: string): void
  prune(now: number): void
}

/** A voice note. `text`: the transcription; absent until it is made. */
export type Heard = {
  id: string
  recipient: string
  thread: string
  file: string
  at: number
  text?: string
  problem?: string
  end?: 'sent' | 'discarded'
}

export interface HeardStore {
  add(note: Pick<Heard, 'id' | 'recipient' | 'thread' | 'file' | 'at'>): void
  get(id: string): Heard | undefined
  /** Voice notes without a text or a problem, oldest first. */
  open(): Heard[]
  /** Stores the transcription of a voice note, or its problem. Only the first call counts. @returns false if an earlier call came first */
  hear(id: string, what: { text: string } | { problem: string }): boolean
  /** Ends a voice note. Only the first call counts. @returns false if an earlier call came first */
  end(id: string, end: NonNullable<Heard['end']>): boolean
  removeOf(recipient: string): void
  prune(before: number): void
}

/** A message that a person sends to JARVIS. */
export type Said = {
  /** The session to which the message goes. Absent: a new session. */
  sessionId?: string
  text: string
  by: string
  /** The id of the channel that the message came over. */
  via: string
  /** A repeated message with the same id starts no run. */
  requestId: string
  /** The agent of a new session. */
  agent?: string
  /** Ids of files that `by` uploaded. */
  attachments: readonly string[]
  /** Runs in the transaction that stores the message. Not called for a repeated message. */
  remember(sent: { sessionId: string }): void
}

/** A person's queued message that is held because the session was stopped. */
export type HeldMessage = {
  text: string
  /** Releases the message, so that it begins now or waits for its turn. @throws JarvisError */
  send(): void
  /** Removes the message. @throws JarvisError `not_found` if the message does not wait any more */
  drop(): void
}

/** The parts of JARVIS that conversations use. */
export type TalkPorts = {
  /** Sends a person's message to a session. @throws JarvisError */
  start(said: Said): { sessionId: string; queued: boolean }
  /** Stores a file until it is sent. @returns its id @throws JarvisError */
  upload(by: string, file: { name: string; data: Buffer }): Promise<string>
  abort(sessionId: string, by: string): void
  /** The queued messages of `by` that are held because the session was stopped, oldest first. */
  held(sessionId: string, by: string): HeldMessage[]
  /** The agent that bindings choose. */
  agentFor(arrival: { channel: string; account: string; chat: string; person: string }): string
  hasAgent(id: string): boolean
  session(id: string): { title: string; agent: string; isRunning: boolean } | undefined
  /** Reports each event of a session from now on. @returns a function that ends the reports; undefined if there is no such session */
  watch(
    sessionId: string,
    tell: <E extends keyof ChatEvents>(event: E, payload: ChatEvents[E]) => void,
  ): (() => void) | undefined
  /** The entries of a session in the form that clients get. */
  entriesFrom(sessionId: string, from: number, limit: number): Entry[]
  entry(sessionId: string, seq: number): Entry | undefined
  entriesOfRun(runId: string): Entry[]
  picture(sessionId: string, id: string): Picture | undefined
  /** A file of a session's own folder; without `data` if it is larger than `mostBytes`; undefined if it is gone or may not be read. */
  written(
    file: { sessionId: string; path: string },
    mostBytes: number,
  ): Promise<(Omit<Document, 'data'> & { bytes: number; data?: Buffer }) | undefined>
  /** The cards, questions and changes that wait for a person. */
  waiting(): { cards: readonly Card[]; questions: readonly Question[]; changes: readonly Change[] }
  questions(sessionId: string): Question[]
  question(questionId: string): { question: Question; sessionId: string; isOpen: boolean } | undefined
  /** Answers a question. `remember` runs in the answer's transaction. @throws JarvisError */
  answer(request: {
    questionId: string
    by: string
    remember(): void
    answers?: { chosen?: number[] }[]
    said?: string
    declined?: true
  }): void
  /** The state of the cluster in a few lines. */
  status(person: string): string
  /** Turns speech into text; undefined: no transcription is set up. @throws Error with a message for people */
  transcribe: ((audio: Buffer, name: string, signal: AbortSignal) => Promise<string>) | undefined
}
