import type { Change, ConfirmationRow, QuestionRow } from 'protocol'
import { useArmed } from './changes.ts'
import { useConfirmations } from './confirmations.ts'
import { useQuestions } from './questions.ts'

/** A card or a question that waits for a person. */
export type Ask = ConfirmationRow | QuestionRow
export const isQuestion = (ask: Ask): ask is QuestionRow => 'questionId' in ask

/**
 * Everything that waits for a person. `asks`: cards and questions, the soonest to expire first. `changes`: changes that go back by themselves unless a
 * person keeps them. `count`: the number that every place of the dashboard shows.
 */
export type Waiting = { asks: readonly Ask[]; changes: readonly Change[]; count: number }

/** @param questions open and ended ones; only the open ones wait */
export function waitingOf(
  cards: readonly ConfirmationRow[],
  questions: readonly QuestionRow[],
  changes: readonly Change[],
): Waiting {
  const open = questions.filter(({ end }) => end === undefined)
  const asks = [...cards, ...open].sort((a, b) => a.expiresAt - b.expiresAt)
  return { asks, changes, count: asks.length + changes.length }
}

export const useWaiting = (): Waiting =>
  waitingOf(useConfirmations()?.pending ?? [], useQuestions() ?? [], useArmed()?.items ?? [])

/** Returns the id of the element that draws an ask in its session. */
export const elementOf = (ask: Ask): string =>
  isQuestion(ask) ? `question-${ask.questionId}` : `card-${ask.toolUseId}`

/** Returns the path of an ask: its place in its session. */
export const pathOf = (ask: Ask): string => `/chat/${ask.sessionId}#${elementOf(ask)}`
