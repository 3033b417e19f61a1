import type { ClusterState } from 'protocol'

/** A guest or node that a text names. */
export type Noun = { kind: 'guest'; vmid: number } | { kind: 'node'; name: string }
export type Piece = string | Noun

/**
 * Finds names of guests and nodes that are unambiguous: `123 frigate`, `VM 123`, `node pve`, `on pve`. A bare word is not enough, because guests may
 * be called `home` and nodes `agent`.
 */
export function findNouns(text: string, state: ClusterState): Piece[] {
  const pieces: Piece[] = []
  let rest = 0
  const word =
    /(?:\b(?<type>VM|CT|guest|container)\s+)?\b(?<vmid>\d{3,9})\b(?:\s+\(?(?<name>[\w.-]+)\)?)?|(?<=\b(?:on|node|of|from)\s{1,4})(?<node>[\w.-]+)/giu
  for (const match of text.matchAll(word)) {
    const { type, vmid, name, node } = match.groups ?? {}
    const guest = vmid === undefined ? undefined : state.guests.find((known) => known.vmid === Number(vmid))
    const trimmed = name?.replace(/(?<![.-])[.-]+$/, '')
    if (guest !== undefined && (type !== undefined || trimmed === guest.name)) {
      // In `VM 123`, the word `VM` stays plain text. A name in brackets is part of the match.
      const at = match.index + match[0].indexOf(vmid ?? '')
      const named = trimmed === guest.name
      const nameAt = named ? text.indexOf(trimmed, at) + trimmed.length : at + (vmid ?? '').length
      const end = named && text[nameAt] === ')' ? nameAt + 1 : nameAt
      pieces.push(text.slice(rest, at), { kind: 'guest', vmid: guest.vmid })
      rest = end
    } else if (node !== undefined) {
      const found = state.nodes.find((known) => known.name === node.replace(/(?<![.-])[.-]+$/, ''))
      if (found === undefined) continue
      pieces.push(text.slice(rest, match.index), { kind: 'node', name: found.name })
      rest = match.index + found.name.length
    }
  }
  pieces.push(text.slice(rest))
  return pieces.filter((piece) => piece !== '')
}

/** Returns the guest or node that the text of a code span names: `frigate`, `123`, `pve`. */
export function nounOf(text: string, state: ClusterState): Noun | undefined {
  const guest = state.guests.find(
    (known) => known.name === text || String(known.vmid) === text || `${known.vmid} ${known.name}` === text,
  )
  if (guest !== undefined) return { kind: 'guest', vmid: guest.vmid }
  const node = state.nodes.find((known) => known.name === text)
  return node === undefined ? undefined : { kind: 'node', name: node.name }
}
