import type { ClusterState, Guest, Node } from 'protocol'

/** Maximum number of characters of a text that are read. */
export const maxChars = 2_000

/** The guests, nodes and other words that a text names. */
export type Mentions = {
  guests: Guest[]
  /** Groups of guests that have the same name and that nothing in the text distinguishes. */
  ambiguous: Guest[][]
  nodes: Node[]
  unknownIds: number[]
  pronoun: 'it' | 'them' | undefined
  type: Guest['type'] | undefined
  /** Unknown words: names of services, or of things that do not exist. */
  rest: string[]
}

const singular = new Set('it that this its same'.split(' '))
const plural = new Set('them those these both they their'.split(' '))
const types = new Map<string, Guest['type']>([
  ['vm', 'vm'],
  ['vms', 'vm'],
  ['qemu', 'vm'],
  ['container', 'ct'],
  ['containers', 'ct'],
  ['ct', 'ct'],
  ['lxc', 'ct'],
])
const fillers = new Set(
  `a again all an and any are at back be called can do down for force forcefully forcibly from guest guests hard has have
  host i id in instance is let machine machines me mean meant my named node nodes now of off ok on one ones our please pls quickly
  right running server servers service sir sorry stopped thanks the then there to up virtual was with you your for`.split(
    /\s+/,
  ),
)

export function mentions(text: string, { guests, nodes }: ClusterState): Mentions {
  const words = wordsOf(text.slice(0, maxChars))
  const guestsByKey = grouped(guests, ({ name }) => keyOf(name))
  const guestsById = grouped(guests, ({ vmid }) => String(vmid))
  const nodesByKey = grouped(nodes, ({ name }) => keyOf(name))
  const found: Mentions = {
    guests: [],
    ambiguous: [],
    nodes: [],
    unknownIds: [],
    pronoun: undefined,
    type: undefined,
    rest: [],
  }
  const named: Guest[][] = []
  for (let i = 0; i < words.length; ) {
    const word = words[i] ?? ''
    const isPlace = ['on', 'at', 'node', 'host'].includes(words[i - 1] ?? '')
    const match = longest(words, i, (key) => {
      const sameNodes = nodesByKey.get(key) ?? []
      const sameGuests = guestsById.get(key) ?? guestsByKey.get(key) ?? []
      if (sameNodes.length > 0 && (isPlace || sameGuests.length === 0)) return () => found.nodes.push(...sameNodes)
      return sameGuests.length > 0 ? () => named.push(sameGuests) : undefined
    })
    if (match !== undefined) match.take()
    else if (/^\d{3,}$/.test(word)) found.unknownIds.push(Number(word))
    else if (singular.has(word)) found.pronoun ??= 'it'
    else if (plural.has(word)) found.pronoun = 'them'
    else if (types.has(word)) found.type = types.get(word)
    else if (!fillers.has(word) && !/^\d+$/.test(word)) found.rest.push(word)
    i += match?.length ?? 1
  }
  for (const same of named) sort(same, found)
  return found
}

/** Adds the guest of a name. If several guests have the name, a node or type in the text decides. */
function sort(same: Guest[], found: Mentions) {
  const there =
    same.length === 1
      ? same
      : same.filter((guest) => found.nodes.length === 0 || found.nodes.some((node) => node.name === guest.node))
  const fitting =
    there.length === 1 ? there : there.filter((guest) => found.type === undefined || found.type === guest.type)
  const [only] = fitting
  if (fitting.length !== 1 || only === undefined) found.ambiguous.push(fitting.length > 0 ? fitting : same)
  else if (!found.guests.includes(only)) found.guests.push(only)
}

/** Tries three words as one name, then two, then one, because people write `home assistant` and `uptime kuma` in two words. */
function longest(words: readonly string[], at: number, find: (key: string) => (() => void) | undefined) {
  for (const length of [3, 2, 1]) {
    if (at + length > words.length) continue
    const take = find(keyOf(words.slice(at, at + length).join('')))
    if (take !== undefined) return { length, take }
  }
  return undefined
}

function grouped<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item])
  return groups
}

const keyOf = (name: string) => name.toLowerCase().replace(/[-_.\s]/g, '')

const wordsOf = (text: string) =>
  [...text.toLowerCase().matchAll(/[\p{L}\p{N}][\p{L}\p{N}._@-]*/gu)].map(([word]) =>
    // Reads `vm101` and `CT-104` as the numbers.
    word.replace(/(?<![.-])[.-]+$/, '').replace(/^(?:vm|ct|lxc)[-_]?(?=\d{3,}$)/, ''),
  )
