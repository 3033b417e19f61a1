import type { Card } from 'protocol'
import { codePieces } from '../../ui/code-line.tsx'
import { hidesSomething, mixesScripts, skeleton, visibleText } from '../../ui/visible.ts'

/** Returns warnings about suspicious names and arguments of a card. @param guests all known guests, to find lookalike names */
export function warningsOf(card: Card, guests: readonly { vmid: number; name: string }[]): string[] {
  const { target, toolInput } = card
  const found: string[] = []
  const name = target.name ?? ''
  const hidden = hidesSomething(name)
  const twin = guests.find(
    (guest) => guest.vmid !== target.vmid && name !== '' && skeleton(guest.name) === skeleton(name),
  )
  if (hidden && twin === undefined) found.push('The name has a character you cannot see. Its code stands in its place.')
  if (twin !== undefined) {
    const how = hidden ? 'has a character you cannot see and reads like' : 'reads like'
    found.push(
      `The name ${how} ${twin.vmid} ${visibleText(twin.name)}. The number decides: this is ${target.vmid ?? target.id}.`,
    )
  }
  if (mixesScripts(name)) found.push('The name mixes letters that look alike.')
  // A diff shows line breaks and indentation, so do not warn about them.
  const isDifference = card.diff !== undefined && !card.diff.some(({ change }) => change === 'named')
  const strings = stringsIn(toolInput).flatMap((text) => (isDifference ? seenWithoutLayout(text) : [text]))
  if (strings.some(hidesSomething)) found.push('The call has a character you cannot see. Its code stands in its place.')
  if (hidesSomething(card.requestedBy.name)) found.push('The name of who asks has a character you cannot see.')
  return found
}

const seenWithoutLayout = (text: string): string[] =>
  text.split(/[\r\n]+/).flatMap((line) => codePieces(line.replaceAll('\t', '')).filter((_, at) => at % 2 === 0))

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [key, ...stringsIn(inner)])
}
