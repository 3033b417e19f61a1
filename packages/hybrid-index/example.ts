import { chunkText, createInMemoryStore, createSynonyms, SearchIndex } from 'hybrid-index'

const notes = `# Power
The UPS lasts eleven minutes.
# Network
The switch is in the attic.
# Garden
The shed is green.`

/** Stands for a real model, which has hundreds of numbers: how much a text is about power, devices and plants. */
const subjects = [/ups|power|blackout/i, /ups|switch|network/i, /garden|shed|green/i]
const embed = (text: string) => Float32Array.from(subjects, (subject) => (subject.test(text) ? 1 : 0))

export async function example(): Promise<string[]> {
  const store = createInMemoryStore(subjects.length)
  for (const piece of chunkText(notes)) {
    store.add([{ ...piece, kind: 'note', name: 'house.md', changedAt: Date.now(), vector: embed(piece.text) }])
  }
  const index = new SearchIndex(store, { synonymsOf: createSynonyms('outage blackout power') })
  await index.load()

  // Whatever changes in the store later, the index is told.
  index.add(store.add([]))
  index.remove([])

  const question = 'How long does the UPS last in a blackout?'
  const hits = index.search(question, { limit: 2, vector: embed(question), now: Date.now() })
  return hits.map(({ heading, text }) => `${heading}: ${text.split('\n').at(-1)}`)
}
