import type { Card } from 'protocol'
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
        : `${otherKinds[kind] ?? visibleText(kind)} ${visibleText(name)}`

/** Words for kinds of principals. `v1`: a program that uses the API at `/v1`, named by its token. */
const otherKinds: Record<string, string> = { command: 'command by', v1: 'program' }

/** The text that a screen reader reads for a new card. */
export const spokenCard = (card: Card): string => (card.plan === undefined ? cardSentence(card) : planWords(card.plan))

export const cardSentence = (card: Card): string => sentenceText(actOf(card).ask)
