import { type FactMaker, oneLine } from './fact-maker.ts'

const longestItem = 160

/** Makes facts of the list that the model set last. Done items stay in the list, so that the model does not do them again. */
export const listFacts: FactMaker = {
  kinds: ['plan'],
  make(before, entries) {
    const newest = entries.findLast((entry) => entry.type === 'plan')
    if (newest?.type !== 'plan') return before
    const items = newest.items.map((item) => `${oneLine(item.text, longestItem)} (${item.state})`)
    if (items.length === 0) return []
    return [{ kind: 'plan', id: newest.toolUseId, of: 'your own list', text: items.join('; '), at: newest.at }]
  },
}
