import type { Card } from 'protocol'
import { legible } from '../gate/index.ts'

/** What a program is told of a card. It names no way to decide over this API, because there is none. */
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
