import type { Card, Entry, StopReason, ToolCall, Usage } from 'protocol'

/**
 * The end of a run. `at`: time of the end, Unix ms. `text`: all text of the answer. `handedOut`: calls that the program must run itself.
 * `files`: files that the run wrote in its session's folder, as paths in it. `hasChanged`: the run changed something before it failed.
 */
export type Ended =
  | {
      type: 'done'
      at: number
      stopReason: StopReason
      text: string
      handedOut: readonly ToolCall[]
      files?: readonly string[]
      usage: Usage
    }
  | { type: 'failed'; code: string; message: string; text: string; usage: Usage; hasChanged: boolean }

/** Writes the answer of a run in the form of one API. */
export type Writer = {
  /** Writes the text of the session's previous run, before the text of this run. */
  before(text: string): void
  text(delta: string): void
  thinking(delta: string): void
  /** Called when a card begins to wait for a person. */
  waits(card: Card): void
  /** Sends a sign of life; called at intervals. */
  beat(): void
  /** Called with an entry of the run, after the entry's text was written. */
  entry?(entry: Entry): void
  /** Ends the answer before the run ends. The program can ask for the run's answer later. */
  later(cards: readonly Card[]): void
  ended(end: Ended): void
}
