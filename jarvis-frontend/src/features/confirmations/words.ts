import type { Card } from 'jarvis-backend/protocol'
import { shortModel } from '../../lib/format.ts'
import { visibleText } from '../../ui/visible.ts'
import { actOf, planWords, sentenceText } from './sentence.ts'

export const askerText = ({
  requestedBy: { kind, name, agent = 'main', for: askedBy },
}: Pick<Card, 'requestedBy'>): string =>
  askedBy !== undefined
    ? `${visibleText(agent)}, for ${visibleText(askedBy)}`
    : kind === 'mcp'
      ? `MCP client ${visibleText(name)}`
      : kind === 'chat'
        ? `chat, ${visibleText(shortModel(name))}`
        : `${kind === 'command' ? 'command by' : visibleText(kind)} ${visibleText(name)}`

/** What is spoken of a new card. */
export const spokenCard = (card: Card): string => (card.plan === undefined ? cardSentence(card) : planWords(card.plan))

export const cardSentence = (card: Card): string => sentenceText(actOf(card).ask)
