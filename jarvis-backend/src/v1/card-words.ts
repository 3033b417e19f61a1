import type { Card } from 'protocol'
import { legible } from '../gate/index.ts'

/** The line that tells a program of a card. A card cannot be decided over this API, so the line names no way. */
export const cardLine = (card: Card): string =>
  legible(`Waiting for a person's decision in JARVIS: ${card.sentence ?? card.toolName} ${card.reason}`)

/** The answer while cards wait. */
export const waitingAnswer = (cards: readonly Card[]): string =>
  [
    ...cards.map(cardLine),
    'Nothing of this has run yet. Decide it in the JARVIS dashboard, on the page Waiting: an answer here decides nothing. Ask again afterwards to hear what came of it.',
  ].join('\n\n')

/** The cards, for a program. */
export const waitingFacts = (cards: readonly Card[]) =>
  cards.map(({ toolUseId, expiresAt }) => ({ toolUseId, expiresAt }))
