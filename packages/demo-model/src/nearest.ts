import { editsBetween } from 'node-kit/nearest'
import type { ClusterState } from 'protocol'
import { ask } from './offers.ts'

/**
 * Returns the guest or node with the most similar name. A short name may have one typing error, a longer name two. @returns for example `jellyfin
 * (104)`
 */
export function nearest(word: string, { guests, nodes }: ClusterState): string | undefined {
  const known = [
    ...guests.map(({ name, vmid }) => ({ name, shown: `${name} (${vmid})` })),
    ...nodes.map(({ name }) => ({ name, shown: name })),
  ]
  const most = word.length < 4 ? 0 : word.length < 6 ? 1 : 2
  const near = known
    .filter(({ name }) => Math.abs(name.length - word.length) <= most)
    .map(({ name, shown }) => ({ shown, slips: editsBetween(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ slips }) => slips <= most)
    .toSorted((a, b) => a.slips - b.slips)
  return near[0]?.shown
}

/**
 * Asks if the person means the guest or node with the most similar name, and offers the sentence with that name.
 * @param sentence an order or question that holds the word
 * @returns undefined if no name is similar
 */
export function didYouMean(word: string, sentence: string, cluster: ClusterState): string | undefined {
  const meant = nearest(word, cluster)
  if (meant === undefined) return undefined
  const at = sentence.toLowerCase().indexOf(word.toLowerCase())
  const name = meant.replace(/ \(\d+\)$/, '')
  const mended = `${sentence.slice(0, at)}${name}${sentence.slice(at + word.length)}`.trim()
  return `Do you mean ${meant}?${at < 0 ? '' : ` Then say ${ask(mended)}.`}`
}
