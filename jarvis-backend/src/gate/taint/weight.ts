import type { World } from '../world.ts'
import { isAnOrderAbout } from './numbers.ts'
import type { About, Source, Sources } from './source.ts'
import { promptSource } from './sources.ts'

/** The consequence of a call's words that occur in a text: none, a person decides, or the call is refused. */
export type Weight = 'none' | 'asks' | 'refuses'

/** Fewest characters of a name or number that can refuse a call: shorter ones occur in many texts by chance. */
const fewestTelling = 4

/** Returns true if a word is an id that JARVIS made (`newId`). Nobody can guess such an id, so a stranger cannot have chosen it. */
export const isMadeHere = (word: string) => /^[a-z]{2,6}_[\da-z]{8}[\da-v]{26}$/.test(word)

/**
 * Makes functions that weigh words of a call that were found in a text. A stranger's sentence, command or name refuses the call. Four kinds of words
 * can only make it ask, because chance is more likely than a repetition: words in a result that JARVIS composed, words in its own notes, short
 * words, and names of the cluster's present objects that JARVIS itself has listed. A common word that names no target has no weight. A name in a
 * list that JARVIS composed has none either, because the model may choose from the list.
 */
export function createScale(sources: Sources, { cluster }: Pick<World, 'cluster'>, about: About) {
  const { guests, storages = [] } = cluster
  const live = new Set([...guests, ...storages].map(({ name }) => name.toLowerCase()))
  const vmids = new Set(guests.map(({ vmid }) => String(vmid)))
  const composed = sources.results.filter(({ isComposed }) => isComposed === true)
  const isListed = (word: string) => composed.some(({ text }) => text.toLowerCase().includes(word))
  const isOurs = ({ isComposed, isOwnNote, toolName }: Source) =>
    isComposed === true || isOwnNote === true || toolName === promptSource

  function ofName(argument: string, name: string, source: Source): Weight {
    const word = name.toLowerCase()
    if (isMadeHere(name) && about.refers?.includes(argument) !== true) return 'none'
    const isLive = live.has(word)
    if (about.isChoice?.(name)) return source.isComposed ? 'none' : 'asks'
    if (about.isCommon?.(word)) return 'none'
    // A name that is a single word of letters, and that occurs in the prompt, has no weight: such a word reveals nothing about the prompt.
    if (source.toolName === promptSource && /^\p{L}+$/u.test(word)) return 'none'
    const isPick = (source.isComposed && isLive) || source.listed?.().has(name) === true
    if (isPick && about.hasService !== true && about.isLeaving !== true) return 'none'
    if (source.isFile && isLive && about.isLeaving !== true) return 'none'
    const isWeak = isOurs(source) || word.length < fewestTelling || (isLive && isListed(word))
    return isWeak ? 'asks' : 'refuses'
  }

  return {
    piece: (
      { argument, phrase, isName }: { argument: string; phrase: string; isName?: true },
      source: Source,
    ): Weight => (isName ? ofName(argument, phrase, source) : isOurs(source) ? 'asks' : 'refuses'),
    number(digits: string, source: Source): Weight {
      const isGuest = vmids.has(digits)
      if (source.isFile && isGuest && !isAnOrderAbout(source.text, digits)) return 'none'
      const isWeak = isOurs(source) || digits.length < fewestTelling || (isGuest && isListed(digits))
      return isWeak ? 'asks' : 'refuses'
    },
  }
}
