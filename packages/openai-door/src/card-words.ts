import type { Card } from 'protocol'
import { legible } from 'redaction/visible'

/** Returns the line that tells a program about a card. No request of this API can decide a card, so the line names no request for it. */
export const cardLine = (card: Card): string =>
  legible(`Waiting for a person's decision in JARVIS: ${card.sentence ?? card.toolName} ${card.reason}`)

/** Returns the text of an answer that ends while cards wait. */
export const waitingAnswer = (cards: readonly Card[]): string =>
  [
    ...cards.map(cardLine),
    'Nothing of this has run yet. Decide it in the JARVIS dashboard, on the page Waiting: an answer here decides nothing. Ask again afterwards to hear what came of it.',
  ].join('\n\n')

/** Returns the data about waiting cards for a program. */
export const waitingFacts = (cards: readonly Card[]) =>
  cards.map(({ toolUseId, expiresAt }) => ({ toolUseId, expiresAt }))
